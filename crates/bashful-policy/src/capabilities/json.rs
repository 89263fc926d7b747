//! Capabilities in JSON.
//!
//! The shape is `{"paths_read": [], "paths_write": [], "paths_deny": [], "network": "off",
//! "commands": [], "resources": {}, "classes": []}`, every key optional; `network` may also be
//! `true`, `false` or `{"hosts": []}`. Sizes are bytes and times are milliseconds. It is written
//! by hand so that a mistyped key is answered with the one that was meant.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::{Capabilities, CapabilityChanges, NetworkCapability, ResourceLimits, nearest};

const KEYS: [&str; 7] =
    ["paths_read", "paths_write", "paths_deny", "network", "commands", "resources", "classes"];

impl<'de> Deserialize<'de> for Capabilities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        CapabilityChanges::deserialize(deserializer).map(Self::from)
    }
}

impl<'de> Deserialize<'de> for CapabilityChanges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ChangesVisitor)
    }
}

struct ChangesVisitor;

impl<'de> Visitor<'de> for ChangesVisitor {
    type Value = CapabilityChanges;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("capabilities")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut changes = CapabilityChanges::default();
        let mut seen = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            once(&mut seen, &key)?;
            match key.as_str() {
                "paths_read" => changes.paths_read = map.next_value()?,
                "paths_write" => changes.paths_write = map.next_value()?,
                "paths_deny" => changes.paths_deny = map.next_value()?,
                "network" => changes.network = map.next_value()?,
                "commands" => changes.commands = map.next_value()?,
                "resources" => changes.resources = map.next_value()?,
                "classes" => changes.classes = map.next_value()?,
                _ => return Err(unknown("", &key, &KEYS)),
            }
        }
        Ok(changes)
    }
}

impl<'de> Deserialize<'de> for NetworkCapability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NetworkVisitor)
    }
}

struct NetworkVisitor;

impl<'de> Visitor<'de> for NetworkVisitor {
    type Value = NetworkCapability;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("`true`, `false`, `\"on\"`, `\"off\"` or `{ hosts = […] }`")
    }

    fn visit_bool<E: de::Error>(self, on: bool) -> Result<Self::Value, E> {
        Ok(if on {
            NetworkCapability::On
        } else {
            NetworkCapability::Off
        })
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
        NetworkCapability::from_word(word)
            .ok_or_else(|| E::invalid_value(de::Unexpected::Str(word), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut hosts: Option<Vec<String>> = None;
        let mut seen = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            once(&mut seen, &key)?;
            match key.as_str() {
                "hosts" => hosts = Some(map.next_value()?),
                _ => return Err(unknown("network.", &key, &["hosts"])),
            }
        }
        let hosts = hosts.ok_or_else(|| de::Error::missing_field("hosts"))?;
        NetworkCapability::of_hosts(&hosts).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ResourceLimits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ResourcesVisitor)
    }
}

struct ResourcesVisitor;

impl<'de> Visitor<'de> for ResourcesVisitor {
    type Value = ResourceLimits;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("limits as numbers of bytes, milliseconds, percent or things")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = [None; 8];
        let mut seen = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            once(&mut seen, &key)?;
            let names = &ResourceLimits::NAMES;
            let slot = names.iter().position(|name| *name == key);
            let Some(value) = slot.and_then(|slot| values.get_mut(slot)) else {
                return Err(unknown("resources.", &key, names));
            };
            *value = map.next_value()?;
        }
        Ok(ResourceLimits::from_values(values))
    }
}

/// Refuses a key that was there already: two readers could take two different values.
fn once<E: de::Error>(seen: &mut Vec<String>, key: &str) -> Result<(), E> {
    if seen.iter().any(|known| known == key) {
        return Err(E::custom(format_args!(
            "the key `{}` is there twice",
            key.escape_debug()
        )));
    }
    seen.push(key.to_owned());
    Ok(())
}

fn unknown<E: de::Error>(section: &str, key: &str, known: &[&'static str]) -> E {
    let shown: String = key.chars().take(80).flat_map(char::escape_debug).collect();
    match nearest(key, known) {
        Some(near) => E::custom(format_args!(
            "unknown key `{section}{shown}`: did you mean `{section}{near}`?"
        )),
        None => E::custom(format_args!(
            "unknown key `{section}{shown}`: known are `{}`",
            known.join("`, `")
        )),
    }
}

impl Serialize for Capabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("paths_read", &self.paths_read)?;
        map.serialize_entry("paths_write", &self.paths_write)?;
        map.serialize_entry("paths_deny", &self.paths_deny)?;
        map.serialize_entry("network", &self.network)?;
        if let Some(commands) = &self.commands {
            map.serialize_entry("commands", commands)?;
        }
        map.serialize_entry("resources", &self.resources)?;
        map.serialize_entry("classes", &self.classes)?;
        map.end()
    }
}

impl Serialize for NetworkCapability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_str("off"),
            Self::On => serializer.serialize_str("on"),
            Self::Hosts(hosts) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("hosts", hosts)?;
                map.end()
            }
        }
    }
}

impl Serialize for ResourceLimits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in Self::NAMES.iter().zip(self.values()) {
            if let Some(value) = value {
                map.serialize_entry(name, &value)?;
            }
        }
        map.end()
    }
}
