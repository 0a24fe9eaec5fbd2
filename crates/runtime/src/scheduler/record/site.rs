//! Sites: the places in a program that fork.
//!
//! A site is told by the types of the closures that are forked, and by the site that encloses it:
//! the one that forked the task which is forking. A closure's type says where in the source it is
//! written and, for a generic function, with which types. Two calls of the same function with
//! closures of the same types in one task are one site.
//!
//! A site that encloses itself, through any number of others, is the same site. So a recursive
//! program has as many sites as it has places that fork.

use core::any::{TypeId, type_name};
use core::hash::{Hash, Hasher as _};
use core::marker::PhantomData;

use filch_profile::Kind;

use super::class::{AsIs, mix};
use super::store::Store;

/// What tells a site from others that the same site encloses.
#[derive(Clone, Copy)]
pub(crate) struct SiteKey {
    pub(super) hash: u64,
    pub(super) kind: Kind,
    pub(super) closure: &'static str,
}

impl SiteKey {
    /// Of a call of that kind with a closure, or closures, of that type.
    #[inline(always)]
    pub(crate) fn of<F: ?Sized>(kind: Kind) -> Self {
        Self {
            hash: type_hash::<F>(),
            kind,
            closure: type_name::<F>(),
        }
    }

    /// The same call, made from that place.
    pub(super) fn at_place(self, place: u64) -> Self {
        let hash = mix(self.hash, place);
        Self { hash, ..self }
    }
}

/// A number by which types are told apart, except for their lifetimes.
#[inline(always)]
#[allow(unsafe_code, reason = "a lifetime is forgotten")]
fn type_hash<T: ?Sized>() -> u64 {
    trait Identified {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Identified for PhantomData<T> {
        #[inline(always)]
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }

    let phantom = PhantomData::<T>;
    let identified: &dyn Identified = &phantom;
    // SAFETY: the two types differ in a lifetime alone, and are laid out alike. `id` returns a
    // number that is known when the program is compiled, when lifetimes are gone, and reads
    // nothing. The reference is not used after this function.
    let identified: &(dyn Identified + 'static) = unsafe { core::mem::transmute(identified) };
    let mut hasher = AsIs::default();
    identified.id().hash(&mut hasher);
    hasher.finish()
}

const CACHED: usize = 128;

/// The sites that a thread has met last.
pub(super) struct SiteCache {
    entries: Box<[Option<Cached>; CACHED]>,
}

#[derive(Clone, Copy)]
struct Cached {
    hash: u64,
    enclosing: Option<u32>,
    site: u32,
}

impl Default for SiteCache {
    fn default() -> Self {
        Self {
            entries: Box::new([None; CACHED]),
        }
    }
}

impl SiteCache {
    /// The site, if it is among them.
    #[inline]
    pub(super) fn get(&mut self, key: &SiteKey, enclosing: Option<u32>) -> Option<u32> {
        self.entry(key, enclosing)
            .filter(|cached| cached.hash == key.hash && cached.enclosing == enclosing)
            .map(|cached| cached.site)
    }

    /// The site as the store knows it.
    #[cold]
    pub(super) fn find(&mut self, key: &SiteKey, enclosing: Option<u32>) -> u32 {
        let site = Store::with(|store| store.sites.find(key, enclosing));
        self.insert(key, enclosing, site);
        site
    }

    pub(super) fn insert(&mut self, key: &SiteKey, enclosing: Option<u32>, site: u32) {
        *self.entry(key, enclosing) = Some(Cached {
            hash: key.hash,
            enclosing,
            site,
        });
    }

    #[inline]
    fn entry(&mut self, key: &SiteKey, enclosing: Option<u32>) -> &mut Option<Cached> {
        let index = mix(key.hash, enclosing.map_or(0, |site| u64::from(site) + 1));
        &mut self.entries[index as usize % CACHED]
    }
}
