use filch::join;

/// Below this a slice is sorted serially.
const SERIAL: usize = 4096;

/// Numbers in no order.
pub(super) fn numbers(count: usize) -> Vec<u64> {
    let mut state = 1u64;
    let next = || {
        // The constants of Knuth's MMIX generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 20
    };
    std::iter::repeat_with(next).take(count).collect()
}

pub(super) fn sort(numbers: &mut [u64]) {
    if numbers.len() <= SERIAL {
        numbers.sort_unstable();
        return;
    }
    let middle = numbers.len() / 2;
    let ends = [numbers[0], numbers[middle], numbers[numbers.len() - 1]];
    let pivot = ends[0].max(ends[1]).min(ends[0].min(ends[1]).max(ends[2]));
    let (mut low, mut high) = (0, numbers.len());
    // What is before `low` is below the pivot, what is from `high` on is not.
    while low < high {
        if numbers[low] < pivot {
            low += 1;
        } else {
            high -= 1;
            numbers.swap(low, high);
        }
    }
    // The pivot itself is somewhere in the upper part: it goes to its beginning.
    let at = low + position(&numbers[low..], pivot);
    numbers.swap(low, at);
    let (below, above) = numbers.split_at_mut(low);
    join(|| sort(below), || sort(&mut above[1..]));
}

fn position(numbers: &[u64], wanted: u64) -> usize {
    let found = numbers.iter().position(|&number| number == wanted);
    found.expect("the pivot is one of them")
}
