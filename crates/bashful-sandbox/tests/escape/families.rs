//! Reaching the host through families of sockets that no namespace holds back, or that hardly
//! any program needs.

use bashful_sandbox::Network;

use crate::case::{Case, Control};

const CLASS: &str = "sockets";

fn python(name: &'static str, code: &'static str) -> Case {
    Case::python(CLASS, name, code)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = families();
    cases.extend(netlink());
    cases
}

/// Families that a network namespace does not hold back, or that few programs need.
fn families() -> Vec<Case> {
    let family = |name, code| {
        python(name, code).may_lack(
            "a kernel without the family",
            &["EAFNOSUPPORT", "EPROTONOSUPPORT"],
        )
    };
    vec![
        family(
            "virtual_machine_sockets",
            "socket.socket(40, socket.SOCK_STREAM)",
        ),
        family(
            "virtual_machine_sockets_with_the_network_on",
            "socket.socket(40, 1)",
        )
        .profile(|profile, _| profile.network = Network::On),
        family(
            "kernel_cryptography",
            "socket.socket(38, socket.SOCK_SEQPACKET)",
        ),
        family("bluetooth", "socket.socket(31, socket.SOCK_RAW, 1)")
            .control(Control::Root("raw sockets are for root")),
        family("express_data_path", "socket.socket(44, socket.SOCK_RAW)")
            .control(Control::Root("raw sockets are for root")),
        family("packets", "socket.socket(17, socket.SOCK_RAW, 0x300)")
            .control(Control::Root("raw sockets are for root")),
        family(
            "packets_with_the_network_on",
            "socket.socket(17, socket.SOCK_DGRAM, 0x300)",
        )
        .control(Control::Root("raw sockets are for root"))
        .profile(|profile, _| profile.network = Network::On),
        family("raw", "socket.socket(2, socket.SOCK_RAW, 1)")
            .control(Control::Root("raw sockets are for root")),
        family(
            "raw_with_the_network_on",
            "socket.socket(2, socket.SOCK_RAW, 255)",
        )
        .control(Control::Root("raw sockets are for root"))
        .profile(|profile, _| profile.network = Network::On),
        family(
            "raw_of_the_sixth_version",
            "socket.socket(10, socket.SOCK_RAW, 58)",
        )
        .control(Control::Root("raw sockets are for root")),
    ]
}

fn netlink() -> Vec<Case> {
    let protocol = |name, code| {
        python(name, code).may_lack("a kernel without the protocol", &["EPROTONOSUPPORT"])
    };
    vec![
        protocol("netlink_audit", "socket.socket(16, 3, 9)"),
        protocol(
            "netlink_device_events",
            "socket.socket(16, 3, 15).bind((0, 1))",
        ),
        protocol("netlink_socket_diagnosis", "socket.socket(16, 3, 4)"),
        protocol("netlink_packet_filter", "socket.socket(16, 3, 12)"),
        protocol("netlink_connector", "socket.socket(16, 3, 11)"),
        protocol("netlink_generic", "socket.socket(16, 3, 16)"),
        protocol(
            "netlink_audit_with_the_network_on",
            "socket.socket(16, 3, 9)",
        )
        .profile(|profile, _| profile.network = Network::On),
        python(
            "netlink_interfaces_of_the_host",
            r#"
            names = [name for _, name in socket.if_nameindex() if name != "lo"]
            if not names: blocked("only the loopback")"#,
        )
        .may_lack("a host without a network", &["only the loopback"]),
    ]
}
