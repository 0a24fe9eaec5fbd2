//! The natural work-stealing process: what BFG01 and BFG03 claim of it.

mod coupled;
mod stability;
mod start;
mod theorems;

use crate::chapters::Setting;
use crate::values::Chapter;

pub(super) const TITLE: &str = "The natural process: is stealing by chance stable?";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let stability = stability::StabilityPlan::of(setting.scale);
    let coupled = coupled::CouplingPlan::of(setting.scale);
    let start = start::StartPlan::of(setting.scale);
    setting.expect(stability.runs() + coupled.runs() + start.runs());
    let (mut claims, stability_table, plot) = stability::write(setting, &stability);
    let (coupled_claims, coupled_table) = coupled::write(setting, &coupled);
    let (start_claims, start_table) = start::write(setting, &start);
    claims.extend(coupled_claims);
    claims.extend(start_claims);
    Chapter {
        id: "natural",
        title: TITLE,
        text: text(),
        measured: false,
        claims,
        tables: vec![stability_table, coupled_table, start_table],
        plots: vec![plot],
    }
}

fn text() -> String {
    "BFG's process: n generators sit on n processors, anywhere, and each makes a job with probability λ in a step; a \
     processor without a job asks a random one, whoever is asked gives f of its load to one of those that asked, and everybody \
     processes a job. The theorems hold for n and a constant c that are \"sufficiently large\". Followed through the proof of \
     Lemma 14, that means a c above 10⁴ at λ = 0.5 and 10⁵ at 0.9, and hundreds of thousands of processors: the claims are \
     tried here on far fewer, where the paper promises nothing, and with c = 2 unless a row says otherwise. Lemma 14 \
     is seen to need a c above 2 or so, because the load of one queue spreads to all with about 1.1·n lg n requests. Chain Z and the coupling start where the paper's do, with Φ_f/n jobs on \
     one processor, a number of dozens to hundreds of digits, and nothing elsewhere. A queue as long as in the proof cannot be run \
     in chain X alone, so the drift of Lemma 19 is measured from 2⁵⁰ jobs in one queue."
        .to_owned()
}
