//! Arguments as they are typed: what is read, and what is said about what cannot be.

use filch_experiments::chapters::Scale;
use filch_experiments::natural::RunLength;
use filch_policy::steal::{StealFunction, Victim};
use filch_random::Seed;
use filch_sim::machine::{Adversary, Machine, Next, Scheduler};
use filch_workload::{Placement, Probability};

use super::*;

fn read(line: &str) -> Result<Typed, Failure> {
    parse(line.split_whitespace().map(OsString::from))
}

#[track_caller]
fn command(line: &str) -> Command {
    match read(line) {
        Ok(Typed::Command(command)) => command,
        other => panic!("{line}: {other:?}"),
    }
}

#[track_caller]
fn refused(line: &str) -> String {
    match read(line) {
        Err(Failure::Usage(message)) => message,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn definition_is_sound() {
    Filch::command().debug_assert();
}

#[test]
fn help_is_no_failure() {
    assert!(matches!(read("filch --help"), Ok(Typed::Help(text)) if text.contains("reproduce")));
}

#[test]
fn reproduce() {
    let Command::Reproduce(short) = command("filch reproduce") else {
        panic!("another command");
    };
    assert_eq!(
        (short.scale(), &*short.out),
        (Scale::Quick, "filch-report".as_ref())
    );
    assert_eq!(
        (short.simulation.seed, short.simulation.json),
        (Seed::new(1), false)
    );

    let line = "filch reproduce --full --out x --seed 7 --json --threads 3";
    let Command::Reproduce(long) = command(line) else {
        panic!("another command");
    };
    assert_eq!((long.scale(), &*long.out), (Scale::Full, "x".as_ref()));
    assert_eq!(
        (long.simulation.seed, long.simulation.json),
        (Seed::new(7), true)
    );
    assert_eq!(long.threads.get().get(), 3);
}

#[test]
fn natural() {
    let Command::Natural(short) = command("filch natural --processors 100 --lambda 0.9") else {
        panic!("another command");
    };
    let process = short.process.process();
    let length = short.length();
    assert_eq!(
        (length.steps, length.warmup, short.replications()),
        (10_000, 5000, 8)
    );
    assert_eq!(
        (process.steal, process.placement),
        (StealFunction::HALF, Placement::One)
    );

    let line = "filch natural --processors 8 --lambda 0.5 --steal const:3 --generators k:2 \
                --steps 900 --warmup 0 --replications 2 --recover 77 --cut 5000 --trace t.csv \
                --c 1.5 --seed 9 --json";
    let Command::Natural(long) = command(line) else {
        panic!("another command");
    };
    let process = long.process.process();
    assert_eq!((process.processors, process.c), (8, 1.5));
    assert_eq!(process.lambda, Probability::new(0.5).unwrap());
    assert_eq!(process.steal, "const:3".parse().unwrap());
    assert_eq!(process.placement, "k:2".parse().unwrap());
    assert_eq!(
        long.length(),
        RunLength {
            steps: 900,
            warmup: 0,
            cut: 5000
        }
    );
    assert_eq!((long.replications(), long.recover()), (2, Some(77)));
    assert_eq!(long.trace.as_deref(), Some("t.csv".as_ref()));
    assert_eq!(
        (long.simulation.seed, long.simulation.json),
        (Seed::new(9), true)
    );
}

#[test]
fn dag() {
    let line = "filch dag run --family figure1 --scheduler stealing --processors 2";
    let Command::Dag(DagTask::Run(short)) = command(line) else {
        panic!("another command");
    };
    assert_eq!(
        short.machine.machine(),
        Machine::new(Scheduler::Stealing, 2)
    );
    assert_eq!((short.runs.get(), short.check), (1, false));

    let line = "filch dag run --file x.json --scheduler stealing --processors 1000000 \
                --adversary lifo --victim uniform-other --runs 7 --check --seed 9 --json";
    let Command::Dag(DagTask::Run(long)) = command(line) else {
        panic!("another command");
    };
    let machine = Machine {
        adversary: Adversary::Lifo,
        victim: Victim::UniformOther,
        ..Machine::new(Scheduler::Stealing, 1_000_000)
    };
    assert_eq!(long.machine.machine(), machine);
    assert_eq!(long.source.file.as_deref(), Some("x.json".as_ref()));
    assert_eq!((long.runs.get(), long.check), (7, true));

    let line = "filch dag show --family figure1 --scheduler vertex-stealing --processors 2 \
                --next spawned --svg a.svg";
    let Command::Dag(DagTask::Show(show)) = command(line) else {
        panic!("another command");
    };
    assert_eq!(show.machine.machine().next, Next::Spawned);
    assert!(show.svg.is_some());
}

#[test]
fn theory() {
    let line = "filch theory dag --work 100 --span 10 --processors 4";
    let Command::Theory(TheoryTopic::Dag(options)) = command(line) else {
        panic!("another command");
    };
    assert_eq!(
        (options.work.map(|n| n.get()), options.span.map(|n| n.get())),
        (Some(100), Some(10))
    );
    assert_eq!((options.processors.get(), options.epsilon.get()), (4, 0.01));
}

#[test]
fn proxy() {
    let Command::Proxy(ProxyArgs {
        command: Some(ProxyTask::Demo(demo)),
        ..
    }) = command("filch proxy demo")
    else {
        panic!("the demo needs no arguments");
    };
    assert_eq!(
        (demo.load(), demo.dispatchers(), demo.policy.0.len()),
        (0.8, 1, 5)
    );
    let line =
        "filch proxy demo --load 0.5 --seconds 3 --policy pi,idle-fastest(sed) --dispatchers 8";
    let Command::Proxy(ProxyArgs {
        command: Some(ProxyTask::Demo(demo)),
        ..
    }) = command(line)
    else {
        panic!("another command");
    };
    assert_eq!(
        (demo.load(), demo.length().as_secs(), demo.dispatchers()),
        (0.5, 3, 8)
    );
    assert_eq!(
        demo.policy.0,
        ["pi", "idle-fastest(sed)"].map(|name| name.parse().unwrap())
    );
    let Command::Proxy(ProxyArgs {
        config: Some(file), ..
    }) = command("filch proxy --config a.toml")
    else {
        panic!("another command");
    };
    assert_eq!(&*file, "a.toml");
}

/// Every complaint names the argument, and says what to type instead.
#[test]
fn bad_arguments_get_one_line() {
    let natural = "filch natural --processors 5 --lambda 0.5";
    let run = "filch dag run --family fib:3 --processors 2 --scheduler";
    let demo = "filch proxy demo";
    for (line, message) in [
        (
            "filch".to_owned(),
            "no command: start with 'filch reproduce', or see 'filch --help'",
        ),
        (
            "filch dag".to_owned(),
            "dag: say what to do: use one of measure, run, kernel, show, export, or see 'filch dag \
             --help'",
        ),
        (
            "filch theory".to_owned(),
            "theory: say what to do: use one of dag, natural, or see 'filch theory --help'",
        ),
        (
            "filch natural --processors 10".to_owned(),
            "--lambda <L> is missing: see 'filch natural --help'",
        ),
        (
            // A scenario file could be meant here, but not one of this name.
            "filch dispatch --arrivals poisson:3".to_owned(),
            "unexpected argument '--arrivals' found: see 'filch dispatch --help'",
        ),
        (
            "filch reproduce --seed -1".to_owned(),
            "--seed: '-1' is not a whole number from 0 to 18446744073709551615",
        ),
        (
            "filch reproduce --seed=1.5".to_owned(),
            "--seed: '1.5' is not a whole number from 0 to 18446744073709551615",
        ),
        (
            "filch reproduce --out=".to_owned(),
            "a value is required for '--out <DIR>' but none was supplied: see 'filch reproduce \
             --help'",
        ),
        (
            "filch reproduce --quick --full".to_owned(),
            "the argument '--quick' cannot be used with '--full': leave one of them out",
        ),
        (
            "filch reproduce --ful".to_owned(),
            "unexpected argument '--ful' found: a similar argument exists: '--full'",
        ),
        (
            "filch reproduce --threads 0".to_owned(),
            "--threads: '0' is not a whole number from 1 to 1024",
        ),
        (
            "filch reproduse".to_owned(),
            "unrecognized subcommand 'reproduse': a similar subcommand exists: 'reproduce'",
        ),
        (
            "filch completions csh".to_owned(),
            "<SHELL>: 'csh' is none of bash, elvish, fish, powershell, zsh; did you mean 'zsh'?",
        ),
        (
            "filch natural --processors 0 --lambda 0.5".to_owned(),
            "--processors: '0' is not a whole number from 1 to 2147483647",
        ),
        (
            "filch natural --processors 5 --lambda 1.5".to_owned(),
            "--lambda: 1.5: a probability is between 0 and 1, both included: 0.9 means that a \
             generator makes a job in nine steps out of ten",
        ),
        (
            format!("{natural} --steal hlaf"),
            "--steal: unknown steal function 'hlaf': use one of half, fraction:R, one, const:K, \
             sqrt, log2, min(F,K); did you mean 'half'?",
        ),
        (
            format!("{natural} --generators all"),
            "--generators: unknown placement 'all': use each, one, k:K, uniform, roam, rotate, longest, shortest or zipf:S",
        ),
        (
            format!("{natural} --generators k:6"),
            "--generators: k:6: with 5 processors, K must be an integer from 1 to 5",
        ),
        (
            format!("{natural} --steps 100 --warmup 100"),
            "--steps 100 leaves nothing after --warmup 100: use more steps, such as --steps 200",
        ),
        (
            format!("{natural} --steps 0"),
            "--steps: '0' is not a whole number from 1 to 281474976710656",
        ),
        (
            format!("{natural} --replications 0"),
            "--replications: '0' is not a whole number from 1 to 1048576",
        ),
        (
            format!("{natural} --c 0"),
            "--c: '0' is not a positive number up to 1e12",
        ),
        (
            format!("{run} robbing"),
            "--scheduler: 'robbing' is none of greedy, busy-leaves, stealing, vertex-stealing, \
             sharing, leapfrog, leapfrog-near, help-any, hand-over, hand-over-extra, \
             hand-over-own",
        ),
        (
            format!("{run} stealign"),
            "--scheduler: 'stealign' is none of greedy, busy-leaves, stealing, vertex-stealing, \
             sharing, leapfrog, leapfrog-near, help-any, hand-over, hand-over-extra, \
             hand-over-own; did you mean 'stealing'?",
        ),
        (
            format!("{run} stealing --adversary sly"),
            "--adversary: 'sly' is none of fifo, lifo, random",
        ),
        (
            format!("{run} greedy --adversary fifo"),
            "--adversary means nothing to --scheduler greedy: leave it out, or use stealing",
        ),
        (
            format!("{run} stealing --order newest"),
            "--order means nothing to --scheduler stealing: leave it out, or use greedy",
        ),
        (
            format!("{run} stealing --pop-top relaxed"),
            "--pop-top means nothing to --scheduler stealing: leave it out, or use \
             vertex-stealing",
        ),
        (
            format!("{run} greedy --victim uniform"),
            "--victim means nothing to --scheduler greedy: leave it out, or use stealing or \
             vertex-stealing",
        ),
        (
            format!("{run} stealing --runs 0"),
            "--runs: '0' is not a whole number from 1 to 1000000",
        ),
        (
            "filch dag measure --family fbi:3".to_owned(),
            "--family: unknown family 'fbi:3': use figure1, fib:N, tree:DEPTH:GRAIN, chain:N, \
             loop:N:GRAIN, comb:N, items:N:SHORT:LONG, halving:N:SHORT:LONG, \
             nested:M:N:SHORT:LONG, deep:N:FRAME:SHORT:LONG, list:N:GRAIN, \
             stairs:N:FILLERS:GRAIN, uneven:LEAVES:SHORT:LONG, random:THREADS:SEED, \
             strict:THREADS:SEED or kstrict:K:DEPTH:GRAIN; did you mean 'fib:N'?",
        ),
        (
            "filch dag measure --family fib:99".to_owned(),
            "--family: fib:99: N must be a whole number from 0 to 80",
        ),
        (
            "filch dag measure".to_owned(),
            "--family <F> or --file <FILE> is missing: see 'filch dag measure --help'",
        ),
        (
            "filch dag measure --family fib:3 --file x".to_owned(),
            "the argument '--family <F>' cannot be used with '--file <FILE>': leave one of them out",
        ),
        (
            "filch theory dag --work 5 --processors 2".to_owned(),
            "--span <N> is missing: see 'filch theory dag --help'",
        ),
        (
            "filch theory dag --work 5 --span 6 --processors 2".to_owned(),
            "--span 6 is more than --work 5: a path has no more instructions than there are",
        ),
        (
            "filch theory dag --family fib:3 --processors 2 --epsilon 1".to_owned(),
            "--epsilon: '1' is not a number between 0 and 1, both excluded",
        ),
        (
            "filch proxy".to_owned(),
            "proxy: nothing to do: start with 'filch proxy demo', or name a file with --config FILE",
        ),
        (
            format!("{demo} --load 1"),
            "--load: '1' is not a number between 0 and 1, both excluded",
        ),
        (
            format!("{demo} --seconds 0"),
            "--seconds: '0' is not a whole number from 1 to 3600",
        ),
        (
            format!("{demo} --dispatchers 17"),
            "--dispatchers: '17' is not a whole number from 1 to 16",
        ),
        (
            format!("{demo} --policy pi,idle(last)"),
            "--policy: pi is named twice: name each policy once",
        ),
        (
            format!("{demo} --policy jsq:0"),
            "--policy: 'jsq:0' is not of the form jsq:D: D is '0', use a whole number from 1",
        ),
        (
            "filch dispatch --load 1.2".to_owned(),
            "--load: 1.2: a load is below 1, or queues grow for ever: if that is meant, add \
             --allow-overload",
        ),
        (
            "filch dispatch --load nan".to_owned(),
            "--load: 'nan' is no number: use one such as 0.9",
        ),
        (
            "filch dispatch --slots 0".to_owned(),
            "--slots: '0' is not a whole number from 1 to 2147483647",
        ),
    ] {
        assert_eq!(refused(&line), message, "{line}");
    }
}

/// What `--help` says of a range is what is accepted.
#[test]
fn help_has_the_ranges() {
    for (page, option, values) in [
        ("natural", "--processors", ["1", "2147483647"]),
        ("natural", "--replications", ["1", "1048576"]),
        ("dag run", "--processors", ["1", "100000000"]),
        ("dag run", "--runs", ["1", "1000000"]),
        ("dispatch", "--slots", ["1", "2147483647"]),
        ("dispatch", "--threads", ["1", "1024"]),
        ("proxy demo", "--seconds", ["1", "3600"]),
        ("proxy demo", "--dispatchers", ["1", "16"]),
    ] {
        let [least, most] = values;
        let Ok(Typed::Help(text)) = read(&format!("filch {page} --help")) else {
            panic!("{page}");
        };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, options) = text.split_once(" Options: ").unwrap();
        let (_, help) = options.split_once(&format!("{option} ")).unwrap();
        let range = format!("{least} to {most}");
        assert!(
            help.find(&range).is_some_and(|at| at < 120),
            "{page} {option}: {help}"
        );
        let rest = match page {
            "natural" if option != "--processors" => "--processors 5 --lambda 0.5",
            "natural" => "--lambda 0.5",
            "dag run" if option != "--processors" => {
                "--family fib:3 --scheduler greedy --processors 2"
            }
            "dag run" => "--family fib:3 --scheduler greedy",
            _ => "",
        };
        for value in values {
            command(&format!("filch {page} {rest} {option} {value}"));
        }
        let beyond = (most.parse::<u64>().unwrap() + 1).to_string();
        for value in ["0", &*beyond] {
            let line = refused(&format!("filch {page} {rest} {option} {value}"));
            let expected = format!("{option}: '{value}' is not a whole number from {range}");
            assert_eq!(line, expected);
        }
    }
}
