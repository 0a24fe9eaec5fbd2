//! The policies, tested on the papers' own definitions and examples.

use filch_policy::dispatch::{Assignment, Dispatch, Dispatcher, Spec, View};
use filch_policy::steal::{Steal, StealFunction};
use filch_random::{Purpose, Stream};
use filch_stats::chi_square_uniform;

use crate::chapters::Setting;
use crate::values::{Chapter, Claim, Outcome, Table};

pub(super) const TITLE: &str = "Decisions: do the policies follow the papers' definitions?";

const ROUTING: Purpose = Purpose::named("routing");

/// A p-value below this rejects a uniform choice: a correct policy fails once in a million reports.
const REJECT: f64 = 1e-6;

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let mut claims = properties_of_steal_functions(setting);
    claims.push(water_filling(&mut setting.seed.stream(ROUTING, 0, 0)));
    claims.push(token_examples(&mut setting.seed.stream(ROUTING, 0, 1)));
    let (uniform, p_values) = uniform_ties(setting);
    claims.push(uniform);
    let (messages, counts) = messages_per_batch(&mut setting.seed.stream(ROUTING, 0, 2));
    claims.push(messages);
    Chapter {
        id: "decisions",
        title: TITLE,
        text:
            "This chapter comes before any simulation. It calls the steal functions and dispatch \
               policies directly and compares their decisions with the papers' definitions."
                .to_owned(),
        measured: false,
        claims,
        tables: vec![counts, p_values],
        plots: Vec::new(),
    }
}

/// BFG03, Properties 1 and 2, for every load up to a bound, and at and beside every power of two.
fn properties_of_steal_functions(setting: &Setting<'_>) -> Vec<Claim> {
    let functions: Vec<StealFunction> = [
        "half",
        "fraction:3",
        "one",
        "const:7",
        "sqrt",
        "log2",
        "min(half,100)",
        "min(sqrt,9)",
    ]
    .map(|name| name.parse().expect("a steal function"))
    .into();
    let bound = setting.scale.pick(20_000, 100_000, 2_000_000);
    let powers = (0..u64::BITS).flat_map(|bits| {
        let power = 1u64 << bits;
        [power - 1, power, power.saturating_add(1)]
    });
    let loads: Vec<u64> = (0..=bound).chain(powers).collect();
    let violations = |broken: fn(&StealFunction, u64) -> bool| -> usize {
        let pairs = functions
            .iter()
            .flat_map(|f| loads.iter().map(move |&load| (f, load)));
        pairs.filter(|(f, load)| broken(f, *load)).count()
    };
    let too_much = violations(|f, load| f.jobs(load) > load / 2);
    let falling = violations(|f, load| f.jobs(load) > f.jobs(load.saturating_add(1)));
    let checked = format!(
        "{} functions, all loads up to {bound}, and at powers of 2",
        functions.len()
    );
    let claim = |claim: &str, stated, violations: usize| Claim {
        claim: claim.to_owned(),
        stated,
        checked: checked.clone(),
        found: format!("{violations} violations"),
        measured: Some(violations as f64),
        bound: Some(0.0),
        outcome: Outcome::of(violations == 0),
    };
    vec![
        claim(
            "0 ≤ f(l) ≤ l/2 for every steal function",
            "BFG03, Property 1",
            too_much,
        ),
        claim(
            "f is monotonically nondecreasing",
            "BFG03, Property 2",
            falling,
        ),
    ]
}

fn named(name: &str) -> Spec {
    name.parse().expect("a policy")
}

fn start(policy: &Spec, view: &View<'_>) -> Dispatcher {
    policy.start(view).expect("a view that shows everything")
}

fn water_filling(rng: &mut Stream) -> Claim {
    let queues = [1, 2, 4];
    let view = View::of_queues(&queues);
    let mut batch = Assignment::over(queues.len());
    start(&named("jsq"), &view).split(3, &view, rng, &mut batch);
    let after: Vec<u32> = (0..3)
        .map(|server| queues[server] + batch.jobs(server))
        .collect();
    Claim {
        claim: "a batch of 3 turns queues (1, 2, 4) into (3, 3, 4)".to_owned(),
        stated: "PI, section 4",
        checked: "jsq, split".to_owned(),
        found: format!("{after:?}"),
        measured: None,
        bound: None,
        outcome: Outcome::of(after == [3, 3, 4]),
    }
}

/// The paper's two examples of the life of a token: a server that becomes idle sends it, once.
fn token_examples(rng: &mut Stream) -> Claim {
    let view = View::of(2);
    let mut pi = start(&named("pi"), &view);
    // Both servers receive a batch. One becomes idle and receives the next (Example 1). It
    // completes that within the slot, so its token is sent and returned at once (Example 2).
    let first = pi.whole(2, &view, rng);
    let second = pi.whole(2, &view, rng);
    pi.fell_idle(first, &view);
    let third = pi.whole(2, &view, rng);
    pi.fell_idle(third, &view);
    let fourth = pi.whole(2, &view, rng);
    let fifth = pi.whole(2, &view, rng);
    let servers = [first, second, third, fourth, fifth];
    let expected = [first, 1 - first, first, first, first];
    Claim {
        claim: "a server sends a token when it becomes idle and gets it back with its next jobs; \
                without tokens, PI stays with the last server"
            .to_owned(),
        stated: "PI, section 2.1, Examples 1 and 2",
        checked: "pi, 2 servers, 5 batches, 2 tokens".to_owned(),
        found: format!("servers {servers:?}, {} messages", pi.messages()),
        measured: None,
        bound: None,
        outcome: Outcome::of(servers == expected && pi.messages() == 2),
    }
}

/// In front of equal servers, every policy that breaks ties at random chooses each equally often.
fn uniform_ties(setting: &Setting<'_>) -> (Claim, Table) {
    const SERVERS: usize = 10;
    let rounds = setting.scale.pick(20_000, 100_000, 5_000_000);
    let policies: Vec<Spec> = Spec::examples(2).filter(Spec::random_ties).collect();
    setting.expect(policies.len());
    let p_values = setting.runs(policies.len(), |index| {
        let view = View::of_queues(&[3; SERVERS]).with_speeds(&[2.0; SERVERS]);
        let fresh = start(&policies[index as usize], &view);
        let mut rng = setting.seed.stream(ROUTING, 1, index);
        let mut counts = [0; SERVERS];
        for _ in 0..rounds {
            counts[fresh.clone().whole(1, &view, &mut rng)] += 1;
        }
        chi_square_uniform(&counts).expect("many choices")
    });
    let least = p_values.iter().copied().fold(1.0, f64::min);
    let claim = Claim {
        claim: "ties are broken uniformly at random".to_owned(),
        stated: "PI, sections 2.1 and 4",
        checked: format!(
            "{} policies, {rounds} choices among {SERVERS} equal servers",
            policies.len()
        ),
        found: format!("least chi-square p-value {least:.3} (rejected below {REJECT:e})"),
        measured: Some(least),
        bound: Some(REJECT),
        outcome: Outcome::of(least > REJECT),
    };
    let rows = policies
        .iter()
        .zip(p_values)
        .map(|(policy, p)| vec![policy.to_string().into(), p.into()]);
    let table = Table {
        title: "Choices among equal servers".to_owned(),
        columns: vec!["policy", "p-value of a uniform choice"],
        rows: rows.collect(),
    };
    (claim, table)
}

/// Section 4.1: messages for each batch in front of 100 servers.
fn messages_per_batch(rng: &mut Stream) -> (Claim, Table) {
    const BATCHES: u64 = 1000;
    let view = View::of_queues(&[3; 100]).with_speeds(&[1.0; 100]);
    let mut cost = |policy: &Spec| {
        let mut policy = start(policy, &view);
        for _ in 0..BATCHES {
            policy.whole(5, &view, rng);
        }
        policy.messages() as f64 / BATCHES as f64
    };
    let stated = [("jsq", 100.0), ("jsq:2", 2.0), ("jsq:1:1", 2.0)];
    let found = stated.map(|(name, _)| (name, cost(&named(name))));
    let claim = Claim {
        claim: "a batch costs 100 messages under JSQ and 2 under JSQ(2) and JSQ(1,1)".to_owned(),
        stated: "PI, section 4.1",
        checked: format!("100 servers, {BATCHES} batches"),
        found: found
            .map(|(name, messages)| format!("{name} {messages}"))
            .join(", "),
        measured: None,
        bound: None,
        outcome: Outcome::of(found == stated),
    };
    let alone = Spec::examples(2).filter(|policy| !policy.listens());
    let table = Table {
        title: "Messages per batch, 100 servers, none of them idle".to_owned(),
        columns: vec!["policy", "messages"],
        rows: alone
            .map(|policy| vec![policy.to_string().into(), cost(&policy).into()])
            .collect(),
    };
    (claim, table)
}
