use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::registry::MOST_PARAMETERS;
use super::{Dispatcher, Idle, Needs, PLAIN, Plain, PolicyEntry, StartError, View};
use crate::Description;
use crate::name::{ParseError, inside, number};

/// The name of a dispatch policy, understood: `jsq:2`, `pi`, `idle-fastest(sed)` …
///
/// ```
/// use filch_policy::dispatch::Spec;
///
/// let pi: Spec = "idle(last)".parse()?;
/// assert_eq!(pi, "pi".parse()?);
/// assert_eq!(pi.to_string(), "pi"); // printed as the paper writes it
/// # Ok::<(), filch_policy::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    listen: Listen,
    plain: PlainSpec,
}

/// What the policy does with tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Listen {
    NotAtAll,
    Idle,
    IdleFastest,
    IdleOne,
    IdleScatter,
    IdleSpeed,
}

/// The combinators: what the policy does with tokens, its head, and its description.
const COMBINATORS: [(Listen, &str, Description); 5] = [
    (
        Listen::Idle,
        "idle",
        Description {
            form: "idle(F)",
            meaning: "a random idle server; if none is idle, as F says",
        },
    ),
    (
        Listen::IdleFastest,
        "idle-fastest",
        Description {
            form: "idle-fastest(F)",
            meaning: "the fastest idle server; if none is idle, as F says",
        },
    ),
    (
        Listen::IdleOne,
        "idle-one",
        Description {
            form: "idle-one(F)",
            meaning: "idle(F) that splits no batch: one idle server gets all",
        },
    ),
    (
        Listen::IdleScatter,
        "idle-scatter",
        Description {
            form: "idle-scatter(F)",
            meaning: "idle(F) that splits by chance: each job to a random idle server",
        },
    ),
    (
        Listen::IdleSpeed,
        "idle-speed",
        Description {
            form: "idle-speed(F)",
            meaning: "idle(F) that splits in proportion to the speeds of the idle servers",
        },
    ),
];

/// A policy of the list with its parameters, the unused ones 0.
#[derive(Clone, Copy)]
struct PlainSpec {
    entry: &'static PolicyEntry,
    parameters: [usize; MOST_PARAMETERS],
}

/// The papers' own names for compositions.
const SHORT: &[(&str, &str, &str)] = &[
    (
        "jiq",
        "idle(random)",
        "Join-the-Idle-Queue: short for idle(random)",
    ),
    ("pi", "idle(last)", "Persistent-Idle: short for idle(last)"),
];

impl Spec {
    /// Every form of name that can be typed, in the order in which to list them.
    pub fn descriptions() -> impl Iterator<Item = Description> {
        let plain = PLAIN.iter().map(|entry| entry.description);
        let short = SHORT
            .iter()
            .map(|&(form, _, meaning)| Description { form, meaning });
        let combined = COMBINATORS.iter().map(|combinator| combinator.2);
        plain.chain(combined).chain(short)
    }

    /// Every policy of the list, with `parameter` for each of its parameters, alone and under all
    /// combinators: what must hold for all policies is tested on these.
    pub fn examples(parameter: usize) -> impl Iterator<Item = Self> {
        PLAIN.iter().flat_map(move |entry| {
            let mut parameters = [0; MOST_PARAMETERS];
            parameters[..entry.parameters].fill(parameter);
            let plain = PlainSpec { entry, parameters };
            let combined = COMBINATORS.iter().map(|combinator| combinator.0);
            [Listen::NotAtAll]
                .into_iter()
                .chain(combined)
                .map(move |listen| Self { listen, plain })
        })
    }

    /// What the policy must be able to see.
    pub fn needs(&self) -> Needs {
        let needs = self.plain.entry.needs;
        Needs {
            speeds: needs.speeds || matches!(self.listen, Listen::IdleFastest | Listen::IdleSpeed),
            ..needs
        }
    }

    /// Whether the policy uses tokens, so that servers have to send them.
    pub fn listens(&self) -> bool {
        self.listen != Listen::NotAtAll
    }

    /// Whether the policy chooses uniformly at random among servers that look alike and, if it
    /// listens, are all idle.
    pub fn random_ties(&self) -> bool {
        self.listens() || self.plain.entry.random_ties
    }

    /// Whether the policy, or its fallback, takes turns: the next server depends on the numbers of
    /// the servers.
    pub fn takes_turns(&self) -> bool {
        !self.plain.entry.random_ties
    }

    /// Whether both do the same with tokens.
    pub(super) fn uses_tokens_as(&self, other: &Self) -> bool {
        self.listen == other.listen
    }

    /// The form of the policy that stands alone or inside the combinator.
    pub(super) fn plain_form(&self) -> &'static str {
        self.plain.entry.description.form
    }

    /// The policy in front of the servers of `view`, all of which are idle.
    ///
    /// # Errors
    ///
    /// If there are too few servers, or the view does not show what the policy needs.
    pub fn start(&self, view: &View<'_>) -> Result<Dispatcher, StartError> {
        self.start_with(view, self.plain.entry.start)
    }

    /// The same policy, following every change of a queue or a speed, which it must then be told
    /// ([`Dispatch::changed`](super::Dispatch::changed)). `jsq` and `sed` then decide in O(log n),
    /// with the same decisions; for the other policies it makes no difference. It pays where there
    /// are many servers and they change one at a time.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn start_following(&self, view: &View<'_>) -> Result<Dispatcher, StartError> {
        self.start_with(view, self.plain.entry.start_following)
    }

    fn start_with(
        &self,
        view: &View<'_>,
        start: fn(&[usize], &View<'_>) -> Plain,
    ) -> Result<Dispatcher, StartError> {
        let servers = view.servers();
        let least = (self.plain.entry.least_servers)(self.plain.parameters());
        if servers < least {
            return Err(StartError::TooFewServers {
                policy: *self,
                least,
                servers,
            });
        }
        let lacks = view.lacks(self.needs());
        if lacks != Needs::NOTHING {
            return Err(StartError::CannotSee {
                policy: *self,
                lacks,
            });
        }
        let plain = start(self.plain.parameters(), view);
        Ok(match self.listen {
            Listen::NotAtAll => Dispatcher::Plain(plain),
            Listen::Idle => Dispatcher::Idle(Idle::over(plain, view)),
            Listen::IdleFastest => Dispatcher::IdleFastest(Idle::over(plain, view)),
            Listen::IdleOne => Dispatcher::IdleOne(Idle::over(plain, view)),
            Listen::IdleScatter => Dispatcher::IdleScatter(Idle::over(plain, view)),
            Listen::IdleSpeed => Dispatcher::IdleSpeed(Idle::over(plain, view)),
        })
    }
}

/// The most samples: memory is reserved for them, and no experiment needs as many.
const MOST_SAMPLES: usize = 1_000_000;

impl PlainSpec {
    fn head(&self) -> &'static str {
        let form = self.entry.description.form;
        form.split_once(':').map_or(form, |(head, _)| head)
    }

    /// The letters that the form has for the parameters.
    fn letters(entry: &PolicyEntry) -> impl Iterator<Item = &'static str> {
        entry.description.form.split(':').skip(1)
    }

    fn parameters(&self) -> &[usize] {
        &self.parameters[..self.entry.parameters]
    }

    /// Reads a name of the list; `None` if there is none with this head and so many parameters.
    fn read(name: &str) -> Option<Result<Self, ParseError>> {
        let mut parts = name.split(':');
        let head = parts.next()?;
        let texts: Vec<_> = parts.collect();
        let entry = PLAIN.iter().find(|entry| {
            let plain = Self {
                entry,
                parameters: [0; MOST_PARAMETERS],
            };
            plain.head() == head && entry.parameters == texts.len()
        })?;
        let mut parameters = [0; MOST_PARAMETERS];
        for (at, (letter, text)) in Self::letters(entry).zip(texts).enumerate() {
            match number(name, entry.description.form, letter, text, 1) {
                Ok(number) if number > MOST_SAMPLES => {
                    let problem = format_args!("{letter} is {number}: use at most {MOST_SAMPLES}");
                    return Some(Err(ParseError::about(name, problem)));
                }
                Ok(number) => parameters[at] = number,
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(Self { entry, parameters }))
    }
}

impl FromStr for Spec {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        let long = SHORT
            .iter()
            .find(|short| short.0 == name)
            .map_or(name, |short| short.1);
        let combined = COMBINATORS
            .iter()
            .find_map(|&(listen, head, _)| Some((listen, inside(long, head)?)));
        let (listen, plain) = combined.unwrap_or((Listen::NotAtAll, long));
        if let Some(plain) = PlainSpec::read(plain) {
            return Ok(Self {
                listen,
                plain: plain?,
            });
        }
        if listen != Listen::NotAtAll && begins_with_tokens(plain) {
            return Err(ParseError::about(
                name,
                "nests one use of tokens in another: put a policy without tokens inside, such as idle(last)",
            ));
        }
        let known = Self::descriptions()
            .map(|known| known.form)
            .collect::<Vec<_>>();
        Err(ParseError::unknown("dispatch policy", plain, known))
    }
}

/// Whether `name` is, or would be if it were complete, that of a policy that uses tokens. Only the
/// beginning is read: reading on would recurse as deep as the user types.
fn begins_with_tokens(name: &str) -> bool {
    let combined = COMBINATORS.iter().any(|&(_, head, _)| {
        let rest = name.strip_prefix(head);
        rest.is_some_and(|rest| rest.starts_with('('))
    });
    combined || SHORT.iter().any(|short| short.0 == name)
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let combinator = COMBINATORS
            .iter()
            .find(|combinator| combinator.0 == self.listen);
        let name = match combinator {
            None => self.plain.to_string(),
            Some((_, head, _)) => format!("{head}({})", self.plain),
        };
        let short = SHORT
            .iter()
            .find(|short| short.1 == name)
            .map_or(&*name, |short| short.0);
        f.pad(short)
    }
}

impl fmt::Display for PlainSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.head())?;
        self.parameters()
            .iter()
            .try_for_each(|parameter| write!(f, ":{parameter}"))
    }
}

impl fmt::Debug for PlainSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A form names one policy of the list.
impl PartialEq for PlainSpec {
    fn eq(&self, other: &Self) -> bool {
        let form = |plain: &Self| plain.entry.description.form;
        (form(self), self.parameters) == (form(other), other.parameters)
    }
}

impl Eq for PlainSpec {}

impl core::hash::Hash for PlainSpec {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (self.entry.description.form, self.parameters).hash(state);
    }
}
