//! Where keepers live, and whether background tasks end when their user logs out.

use bashful_keeper::{Ground, Outlook, Scope, scope_outlook};

use super::{Finding, State};

/// What there is to say about it.
pub(super) fn look() -> Vec<Finding> {
    tell(&scope_outlook())
}

fn tell(outlook: &Outlook) -> Vec<Finding> {
    let (state, words) = match &outlook.scope {
        Scope::Own => (
            State::Ok,
            "the keeper of background tasks and sessions lives in a systemd scope of its own; it \
             outlives the terminal or service that starts it"
                .to_owned(),
        ),
        Scope::Starter(ground) => (stays(ground), format!("the keeper {}", because(ground))),
    };
    let scope = Finding::new("scope", state, words);
    let logout = outlook.ends_at_logout.then(|| {
        let words = match outlook.scope {
            Scope::Own => {
                "background tasks end with your last logout, because systemd then stops what \
                 belongs to you; `loginctl enable-linger` keeps them"
            }
            Scope::Starter(_) => {
                "background tasks end when you log out, because systemd stops what a login \
                 leaves behind; `loginctl enable-linger` keeps what is in a scope of its own, \
                 and KillUserProcesses=no in logind.conf spares the rest"
            }
        };
        Finding::new("logout", State::Weak, words).mended_by(["loginctl enable-linger"])
    });
    [scope].into_iter().chain(logout).collect()
}

/// Whether staying with its starter is what is best.
fn stays(ground: &Ground) -> State {
    match ground {
        Ground::NoSystemd | Ground::NoUnit | Ground::OfKeeper | Ground::Spared => State::Ok,
        _ => State::Weak,
    }
}

fn because(ground: &Ground) -> String {
    let text = match ground {
        Ground::NoSystemd => "needs no scope of its own: systemd does not run this system",
        Ground::NoUnit => "needs no scope of its own: it starts in no unit that systemd stops",
        Ground::OfKeeper => "stays in the scope of the keeper whose run it belongs to",
        Ground::Limited => {
            "stays in the unit that starts it and ends with it, because that unit's limits on \
             memory or processor are meant for it too"
        }
        Ground::Spared => {
            "stays in your login session, which a logout leaves alone; in a scope of its own it \
             would end with your last logout, as you do not linger (`loginctl enable-linger`)"
        }
        Ground::Outlasts => {
            "stays in the service that starts it and ends with it; in a scope of its own it would \
             end with your last logout, as you do not linger (`loginctl enable-linger`)"
        }
        Ground::Mute(error) => {
            return format!(
                "stays in the unit that starts it and ends with it: systemd's manager for you does \
                 not answer ({error})"
            );
        }
        _ => "stays in the unit that starts it",
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(scope: Scope, ends_at_logout: bool) -> Vec<(&'static str, State)> {
        let outlook = Outlook {
            scope,
            ends_at_logout,
        };
        let findings = tell(&outlook);
        assert!(findings.iter().all(|finding| !finding.words.is_empty()));
        let short = |finding: &Finding| (finding.name, finding.state);
        findings.iter().map(short).collect()
    }

    #[test]
    fn each_case_is_told() {
        let (fine, weak) = (("scope", State::Ok), ("scope", State::Weak));
        let logout = ("logout", State::Weak);
        let starter = |ground, ends| told(Scope::Starter(ground), ends);
        assert_eq!(told(Scope::Own, false), [fine]);
        assert_eq!(told(Scope::Own, true), [fine, logout]);
        assert_eq!(starter(Ground::NoSystemd, false), [fine]);
        assert_eq!(starter(Ground::NoUnit, false), [fine]);
        assert_eq!(starter(Ground::OfKeeper, false), [fine]);
        assert_eq!(starter(Ground::Spared, false), [fine]);
        assert_eq!(starter(Ground::Limited, true), [weak, logout]);
        assert_eq!(starter(Ground::Outlasts, false), [weak]);
        assert_eq!(
            starter(Ground::Mute("gone".to_owned()), true),
            [weak, logout]
        );
    }
}
