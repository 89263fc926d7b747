//! Which backend `auto` stands for: the strongest with which a run really starts here.
//!
//! Nothing is read from settings of the kernel. A sandbox is built once with each backend,
//! strongest first, and what worked is remembered until the next boot. A start that fails
//! because of the host makes us forget that. What the backend does not enforce is not asked
//! here: the run itself is refused for what its profile cannot go without.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bashful_sandbox::Backend;

use crate::request::settings::Settings;

mod memory;
mod probe;

use memory::Memory;
pub(crate) use memory::wrappers;
use probe::Probe;
pub(crate) use probe::{PATIENCE, Scratch, broken, is_of_host, run};

/// How long after a look the engine looks again whether a stronger backend works by now.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// The backend that `auto` stands for, once it was looked for.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    known: Mutex<Option<Known>>,
}

#[derive(Debug)]
struct Known {
    backend: Backend,
    since: Instant,
    memory: Memory,
}

impl Chosen {
    /// The backend of these settings, looked for if need be.
    pub(crate) fn for_settings(settings: &Settings) -> Backend {
        settings.kept.of::<Self>().get(settings)
    }

    /// The backend of these settings as far as it is known.
    pub(crate) fn known_to(settings: &Settings) -> Option<Backend> {
        settings.kept.of::<Self>().peek(settings)
    }

    /// The backend, looked for if need be.
    pub(crate) fn get(&self, settings: &Settings) -> Backend {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known
            && (known.backend == Backend::Native || known.since.elapsed() < LOOK_AGAIN)
        {
            return known.backend;
        }
        let memory = Memory::of(&settings.places);
        let backend = choose(settings, &memory);
        *known = Some(Known {
            backend,
            since: Instant::now(),
            memory,
        });
        backend
    }

    /// The backend as far as it is known. Nothing is tried, and nothing is written.
    pub(crate) fn peek(&self, settings: &Settings) -> Option<Backend> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            let memory = Memory::of(&settings.places);
            let since = Instant::now();
            *known = memory.recall().map(|backend| Known {
                backend,
                since,
                memory,
            });
        }
        known.as_ref().map(|known| known.backend)
    }

    /// A start has failed because of the host: what worked once may work no longer.
    pub(crate) fn forget(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.take() {
            known.memory.forget();
        }
    }
}

/// The strongest backend that works here. Where none does, or where that cannot be told, runs
/// are left to the native one, which refuses them and says why.
fn choose(settings: &Settings, memory: &Memory) -> Backend {
    if let Some(known) = memory.recall() {
        return known;
    }
    for backend in Backend::ALL {
        match probe::probe(settings, backend) {
            Probe::Works => {
                memory.store(backend);
                return backend;
            }
            Probe::Refused => {}
            Probe::Unsure => break,
        }
    }
    Backend::default()
}
