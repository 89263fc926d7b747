//! How much of everything a run may use.

/// How much of everything a run may use. What is absent is the usual, which the host decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Bytes of memory of all its processes together.
    pub memory: Option<u64>,
    /// Processes and threads at a time.
    pub processes: Option<u64>,
    /// Processor time of all its processes together, in milliseconds.
    pub cpu_time: Option<u64>,
    /// Processor share in percent of one core: 200 is two cores.
    pub cpu_share: Option<u64>,
    /// Open files of each process.
    pub open_files: Option<u64>,
    /// Bytes of the largest file.
    pub file_size: Option<u64>,
    /// Bytes of the room's `/tmp` and `/dev/shm` together.
    pub tmp_size: Option<u64>,
    /// Bytes that it may add to the disks that it writes to.
    pub disk_size: Option<u64>,
}

impl ResourceLimits {
    /// The names of all limits.
    pub const NAMES: [&str; 8] = [
        "memory", "processes", "cpu_time", "cpu_share", "open_files", "file_size", "tmp_size",
        "disk_size",
    ];

    /// All limits, in the order of [`NAMES`](Self::NAMES).
    pub fn values(&self) -> [Option<u64>; 8] {
        [
            self.memory, self.processes, self.cpu_time, self.cpu_share, self.open_files,
            self.file_size, self.tmp_size, self.disk_size,
        ]
    }

    /// The opposite of [`values`](Self::values).
    pub fn from_values(values: [Option<u64>; 8]) -> Self {
        let [memory, processes, cpu_time, cpu_share, open_files, file_size, tmp_size, disk_size] =
            values;
        Self {
            memory,
            processes,
            cpu_time,
            cpu_share,
            open_files,
            file_size,
            tmp_size,
            disk_size,
        }
    }

    /// These, with what `more` sets in their place.
    #[must_use]
    pub fn with(&self, more: &Self) -> Self {
        let mut values = self.values();
        for (value, new) in values.iter_mut().zip(more.values()) {
            *value = new.or(*value);
        }
        Self::from_values(values)
    }

    /// These, lowered to what `wish` says; what would raise a limit goes to `refuse` with its
    /// full name. A limit that is not set counts as `usual`.
    pub(super) fn narrow(
        &self,
        wish: &Self,
        usual: &Self,
        mut refuse: impl FnMut(&'static str, u64),
    ) -> Self {
        const FULL: [&str; 8] = [
            "resources.memory", "resources.processes", "resources.cpu_time", "resources.cpu_share",
            "resources.open_files", "resources.file_size", "resources.tmp_size",
            "resources.disk_size",
        ];
        let mut values = self.values();
        let all = values.iter_mut().zip(wish.values()).zip(usual.values());
        for (((value, wished), usual), name) in all.zip(FULL) {
            let Some(wished) = wished else { continue };
            if value.or(usual).is_some_and(|bound| wished > bound) {
                refuse(name, wished);
            } else {
                *value = Some(wished);
            }
        }
        Self::from_values(values)
    }
}
