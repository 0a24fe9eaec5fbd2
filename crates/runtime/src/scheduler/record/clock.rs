//! The clock of strands: the processor's counter where that runs evenly, and otherwise the system's
//! clock.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long the counter is compared with the system's clock. An error of 100 ns is then one of
/// 0.005 %.
const COMPARED: Duration = Duration::from_millis(2);

/// A processor may begin the next reading before the last has ended, so many are timed together.
const BATCH: Ticks = 100;

/// A point in time, in ticks of the clock.
pub(super) type Ticks = u64;

/// What a tick is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    picos_per_tick: f64,
    /// What a reading takes.
    pub(super) reading: Ticks,
}

impl Rate {
    /// Of this machine, measured once.
    pub(super) fn get() -> Self {
        static RATE: OnceLock<Rate> = OnceLock::new();
        *RATE.get_or_init(Self::measure)
    }

    fn measure() -> Self {
        let (began, first) = (Instant::now(), now());
        let mut batch = Ticks::MAX;
        while began.elapsed() < COMPARED {
            let one = now();
            for _ in 1..BATCH {
                let _ = black_box(now());
            }
            batch = batch.min(now().saturating_sub(one));
        }
        let (ticks, time) = (now().saturating_sub(first), began.elapsed());
        let picos = time.as_nanos() as f64 * 1e3;
        Self {
            picos_per_tick: if cfg!(test) {
                1e3
            } else {
                picos / ticks.max(1) as f64
            },
            reading: batch / BATCH,
        }
    }

    pub(super) fn ticks_in_nanos(self, nanos: u64) -> Ticks {
        (nanos as f64 * 1e3 / self.picos_per_tick) as Ticks
    }

    pub(super) fn duration(self, ticks: Ticks) -> filch_profile::Duration {
        filch_profile::Duration::from_picos((ticks as f64 * self.picos_per_tick) as u64)
    }
}

#[cfg(not(test))]
pub(super) use real::now;

/// In the tests of this crate a thread's clock stands still until the thread moves it on. So what
/// is measured there is exact.
#[cfg(test)]
pub(super) use fake::now;
#[cfg(test)]
pub(crate) use fake::work;

#[cfg(not(test))]
mod real {
    use super::Ticks;

    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "the counter is read by an instruction")]
    #[inline(always)]
    pub(crate) fn now() -> Ticks {
        if counter::is_even() {
            // SAFETY: every x86-64 processor has the instruction.
            unsafe { core::arch::x86_64::_rdtsc() }
        } else {
            by_system()
        }
    }

    #[cfg(target_arch = "aarch64")]
    #[allow(unsafe_code, reason = "the counter is read by an instruction")]
    #[inline(always)]
    pub(crate) fn now() -> Ticks {
        let ticks: u64;
        // SAFETY: the virtual counter can be read by every program and changes nothing.
        unsafe {
            core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack));
        }
        ticks
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(crate) fn now() -> Ticks {
        by_system()
    }

    /// Nanoseconds since the first call.
    #[cfg(not(target_arch = "aarch64"))]
    fn by_system() -> Ticks {
        use std::sync::OnceLock;
        use std::time::Instant;

        static FIRST: OnceLock<Instant> = OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }

    #[cfg(target_arch = "x86_64")]
    mod counter {
        use std::sync::atomic::{AtomicU8, Ordering};

        const UNKNOWN: u8 = 0;
        const EVEN: u8 = 1;
        const UNEVEN: u8 = 2;

        /// Whether the counter runs at the same rate whatever the processor does, and in step on
        /// all of them.
        #[inline(always)]
        pub(super) fn is_even() -> bool {
            static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
            // Ordering: Relaxed, since every thread finds out the same.
            match KNOWN.load(Ordering::Relaxed) {
                EVEN => true,
                UNEVEN => false,
                _ => {
                    let even = ask();
                    KNOWN.store(if even { EVEN } else { UNEVEN }, Ordering::Relaxed);
                    even
                }
            }
        }

        /// "Invariant TSC" of the processor's manual: leaf 0x8000_0007, EDX, bit 8.
        #[cold]
        fn ask() -> bool {
            use core::arch::x86_64::__cpuid;

            const ADVANCED: u32 = 0x8000_0007;
            #[allow(unused_unsafe, reason = "safe in newer versions of the compiler")]
            #[allow(unsafe_code, reason = "the processor is asked by an instruction")]
            // SAFETY: every x86-64 processor has the instruction.
            let leaf = |number| unsafe { __cpuid(number) };
            leaf(0x8000_0000).eax >= ADVANCED && leaf(ADVANCED).edx & (1 << 8) != 0
        }
    }
}

#[cfg(test)]
mod fake {
    use core::cell::Cell;

    use super::Ticks;

    thread_local! {
        static NOW: Cell<Ticks> = const { Cell::new(1) };
    }

    pub(crate) fn now() -> Ticks {
        NOW.get()
    }

    /// Works for so many nanoseconds, as far as this thread's clock is concerned.
    pub(crate) fn work(nanos: Ticks) {
        NOW.set(NOW.get() + nanos);
    }
}
