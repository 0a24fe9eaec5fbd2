//! What each policy does in front of two servers, written down once more from its definition.

/// What a policy may go by.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) queues: [usize; 2],
    pub(crate) speeds: [f64; 2],
    /// The server that the policy remembers, if it remembers one.
    pub(crate) memory: usize,
    pub(crate) split: bool,
}

/// One thing that may happen to a batch.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) probability: f64,
    /// How many jobs each server gets.
    pub(crate) jobs: [usize; 2],
    pub(crate) memory: usize,
    /// Probes of queue lengths.
    pub(crate) probes: usize,
}

/// All that may happen to a batch of `jobs` > 0 jobs.
pub(crate) fn ways(policy: &str, jobs: usize, seen: Seen) -> Vec<Way> {
    let inside = |head: &str| policy.strip_prefix(head)?.strip_suffix(')');
    match policy {
        "pi" => idle(jobs, seen, false, "last"),
        "jiq" => idle(jobs, seen, false, "random"),
        _ if inside("idle(").is_some() => idle(jobs, seen, false, inside("idle(").unwrap()),
        _ if inside("idle-fastest(").is_some() => {
            idle(jobs, seen, true, inside("idle-fastest(").unwrap())
        }
        _ if policy.starts_with("idle-") => {
            let (rule, fallback) = policy["idle-".len()..].split_once('(').unwrap();
            split_by(rule, jobs, seen, fallback.strip_suffix(')').unwrap())
        }
        _ => plain(policy, jobs, seen),
    }
}

/// The other rules for splitting: `one`, `scatter` and `speed`. They differ from [`idle`] only if
/// both servers are idle and the batch may be split.
fn split_by(rule: &str, jobs: usize, seen: Seen, fallback: &str) -> Vec<Way> {
    if seen.queues != [0; 2] || !seen.split {
        return idle(jobs, seen, false, fallback);
    }
    let parts: Vec<(f64, [usize; 2])> = match rule {
        "one" => vec![(0.5, [jobs, 0]), (0.5, [0, jobs])],
        "scatter" => {
            // C(jobs, first) / 2^jobs.
            let mut chance = 0.5f64.powi(jobs as i32);
            let mut parts = Vec::new();
            for first in 0..=jobs {
                parts.push((chance, [first, jobs - first]));
                chance *= (jobs - first) as f64 / (first + 1) as f64;
            }
            parts
        }
        "speed" => {
            let total = seen.speeds[0] + seen.speeds[1];
            let share = seen.speeds.map(|speed| jobs as f64 * (speed / total));
            let mut part = share.map(|share| share.floor() as usize);
            let rest = [0, 1].map(|server| share[server] - share[server].floor());
            if part[0] + part[1] == jobs {
                vec![(1.0, part)]
            } else if rest[0] == rest[1] {
                vec![(0.5, [part[0] + 1, part[1]]), (0.5, [part[0], part[1] + 1])]
            } else {
                part[usize::from(rest[1] > rest[0])] += 1;
                vec![(1.0, part)]
            }
        }
        _ => panic!("{rule} is no rule"),
    };
    let ways = parts.into_iter().flat_map(|(probability, jobs)| {
        let recipients: Vec<usize> = (0..2).filter(|&server| jobs[server] > 0).collect();
        let share = probability / recipients.len() as f64;
        recipients.into_iter().map(move |server| Way {
            probability: share,
            jobs,
            memory: if fallback == "last" {
                server
            } else {
                seen.memory
            },
            probes: 0,
        })
    });
    ways.collect()
}

fn to(server: usize, jobs: usize) -> [usize; 2] {
    let mut all = [0; 2];
    all[server] = jobs;
    all
}

/// To idle servers, otherwise as `fallback` says. Of the fallbacks, only `last` is told.
fn idle(jobs: usize, seen: Seen, fastest: bool, fallback: &str) -> Vec<Way> {
    let idle: Vec<usize> = (0..2).filter(|&server| seen.queues[server] == 0).collect();
    let way = |probability, jobs, server| Way {
        probability,
        jobs,
        memory: if fallback == "last" {
            server
        } else {
            seen.memory
        },
        probes: 0,
    };
    match idle[..] {
        [] => plain(fallback, jobs, seen),
        [only] => vec![way(1.0, to(only, jobs), only)],
        // Both are idle. `favourites` may be first; a split batch is spread over both if it can be,
        // and then the remembered server is one of them all, or the fastest.
        _ => {
            let favourites = if fastest && seen.speeds[0] != seen.speeds[1] {
                vec![usize::from(seen.speeds[1] > seen.speeds[0])]
            } else {
                vec![0, 1]
            };
            let chance = 1.0 / favourites.len() as f64;
            let mut ways = Vec::new();
            for &favourite in &favourites {
                if !seen.split || jobs == 1 {
                    ways.push(way(chance, to(favourite, jobs), favourite));
                } else {
                    let mut parts = [jobs / 2; 2];
                    parts[favourite] += jobs % 2;
                    let each = |&last: &usize| way(chance * chance, parts, last);
                    ways.extend(favourites.iter().map(each));
                }
            }
            ways
        }
    }
}

fn plain(policy: &str, jobs: usize, seen: Seen) -> Vec<Way> {
    let Seen { queues, speeds, .. } = seen;
    let way = |probability, jobs, memory, probes| Way {
        probability,
        jobs,
        memory,
        probes,
    };
    match policy {
        "random" if seen.split => {
            // Each job for itself: binomial.
            let mut law = vec![1.0];
            for _ in 0..jobs {
                let mut next = vec![0.0; law.len() + 1];
                for (first, p) in law.iter().enumerate() {
                    next[first] += p / 2.0;
                    next[first + 1] += p / 2.0;
                }
                law = next;
            }
            let ways = law.into_iter().enumerate();
            ways.map(|(first, p)| way(p, [first, jobs - first], 0, 0))
                .collect()
        }
        "random" => [0, 1].map(|server| way(0.5, to(server, jobs), 0, 0)).into(),
        "round-robin" if seen.split => {
            let mut parts = [jobs / 2; 2];
            parts[seen.memory] += jobs % 2;
            vec![way(1.0, parts, (seen.memory + jobs) % 2, 0)]
        }
        "round-robin" => vec![way(1.0, to(seen.memory, jobs), 1 - seen.memory, 0)],
        "last" => vec![way(1.0, to(seen.memory, jobs), seen.memory, 0)],
        // Two different samples of two servers are both.
        "jsq" | "jsq:2" => shortest(jobs, seen)
            .into_iter()
            .map(|(p, parts)| way(p, parts, 0, 2))
            .collect(),
        "jsq:1:1" => {
            // Half of the time the sample is the one that is remembered.
            let mut ways = vec![way(0.5, to(seen.memory, jobs), seen.memory, 2)];
            for (p, parts) in shortest(jobs, seen) {
                let after = [0, 1].map(|server| queues[server] + parts[server]);
                if after[0] == after[1] {
                    ways.extend([0, 1].map(|server| way(p / 4.0, parts, server, 2)));
                } else {
                    ways.push(way(p / 2.0, parts, usize::from(after[1] < after[0]), 2));
                }
            }
            ways
        }
        "sed" => {
            let step = if seen.split { 1 } else { jobs };
            let mut ways = vec![(1.0, [0; 2])];
            for _ in 0..jobs / step {
                ways = ways
                    .into_iter()
                    .flat_map(|(p, parts): (f64, [usize; 2])| {
                        let delay = |server: usize| {
                            (queues[server] + parts[server] + step) as f64 / speeds[server]
                        };
                        let best = match delay(0).total_cmp(&delay(1)) {
                            std::cmp::Ordering::Less => vec![0],
                            std::cmp::Ordering::Greater => vec![1],
                            std::cmp::Ordering::Equal => vec![0, 1],
                        };
                        let chance = p / best.len() as f64;
                        best.into_iter().map(move |server| {
                            let mut parts = parts;
                            parts[server] += step;
                            (chance, parts)
                        })
                    })
                    .collect();
                merge(&mut ways);
            }
            ways.into_iter()
                .map(|(p, parts)| way(p, parts, 0, 2))
                .collect()
        }
        _ => panic!("no definition of {policy}"),
    }
}

/// To the shorter queue, or job by job to the shorter one.
fn shortest(jobs: usize, seen: Seen) -> Vec<(f64, [usize; 2])> {
    let [first, second] = seen.queues;
    let shorter = usize::from(second < first);
    if !seen.split {
        return if first == second {
            vec![(0.5, to(0, jobs)), (0.5, to(1, jobs))]
        } else {
            vec![(1.0, to(shorter, jobs))]
        };
    }
    let below = jobs.min(first.abs_diff(second));
    let rest = jobs - below;
    let mut even = [rest / 2; 2];
    even[shorter] += below;
    match rest % 2 {
        0 => vec![(1.0, even)],
        _ => [0, 1]
            .map(|server| {
                let mut parts = even;
                parts[server] += 1;
                (0.5, parts)
            })
            .into(),
    }
}

/// Adds up the probabilities of equal parts.
fn merge(ways: &mut Vec<(f64, [usize; 2])>) {
    ways.sort_by_key(|way| way.1);
    ways.dedup_by(|next, kept| {
        let same = next.1 == kept.1;
        kept.0 += if same { next.0 } else { 0.0 };
        same
    });
}
