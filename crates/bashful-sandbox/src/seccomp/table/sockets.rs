//! Which sockets can be made.

use super::super::numbers;
use super::super::rule::{Answer, Argument, Named, Rule, Scope, Test};
use super::{
    NO_SUCH_FAMILY, NO_SUCH_OPTION, NO_SUCH_PROTOCOL, NO_SUCH_TYPE, NOT_PERMITTED, tell_if,
};

const FAMILY: Argument = Argument::new(0, "domain");
const KIND: Argument = Argument::new(1, "type").masked(numbers::SOCK_TYPE_MASK);
const PROTOCOL: Argument = Argument::new(2, "protocol");
const INTERNET: Test = Test::Is(FAMILY, named!(AF_INET, AF_INET6));

pub(super) const RULES: &[Rule] = &[
    Rule {
        scope: Scope::SharedNetwork,
        calls: calls![SYS_socket],
        when: &[],
        answer: Answer::Error(NOT_PERMITTED),
        reason: "the network is off, and no namespace keeps it away",
    },
    Rule {
        scope: Scope::PairsOnly,
        calls: calls![SYS_socket],
        when: &[Test::Is(FAMILY, named!(AF_UNIX))],
        answer: Answer::Error(NOT_PERMITTED),
        reason: "a socket file of the host answers even where the file system is read-only",
    },
    // A stream or a sequence of packets reaches another socket by `connect` only, and that is
    // carried out by the keeper.
    Rule {
        scope: Scope::OwnSockets,
        calls: calls![SYS_socket],
        when: &[
            Test::Is(FAMILY, named!(AF_UNIX)),
            Test::IsNot(KIND, named!(SOCK_STREAM, SOCK_SEQPACKET)),
        ],
        answer: Answer::Told(NOT_PERMITTED),
        reason: "a unix socket for datagrams could send to the host's; use `SOCK_STREAM`, `SOCK_SEQPACKET`, or UDP on the loopback instead",
    },
    Rule {
        scope: Scope::OwnSockets,
        calls: calls![SYS_getsockopt],
        when: &[
            Test::Is(Argument::new(1, "level"), named!(SOL_SOCKET)),
            Test::Is(Argument::new(2, "option"), named!(SO_PEERPIDFD)),
        ],
        answer: Answer::Error(NO_SUCH_OPTION),
        reason: "the other end of a connection is the keeper's doing, and its process none of the run's",
    },
    tell_if(
        calls![SYS_socket],
        &[Test::IsNot(
            FAMILY,
            named!(AF_UNIX, AF_INET, AF_INET6, AF_NETLINK),
        )],
        NO_SUCH_FAMILY,
        "some families bypass the network namespace, others are rarely maintained",
    ),
    tell_if(
        calls![SYS_socket],
        &[
            Test::Is(FAMILY, named!(AF_NETLINK)),
            Test::IsNot(PROTOCOL, named!(NETLINK_ROUTE)),
        ],
        NO_SUCH_PROTOCOL,
        "only the list of network interfaces is needed",
    ),
    tell_if(
        calls![SYS_socket],
        &[INTERNET, Test::Is(KIND, named!(SOCK_RAW, SOCK_PACKET))],
        NOT_PERMITTED,
        "forges and overhears packets",
    ),
    // With protocol 0 the type alone selects the protocol.
    tell_if(
        calls![SYS_socket],
        &[INTERNET, Test::IsNot(KIND, named!(SOCK_STREAM, SOCK_DGRAM))],
        NO_SUCH_TYPE,
        "a seldom used protocol, loaded into the kernel on demand",
    ),
    tell_if(
        calls![SYS_socket],
        &[
            INTERNET,
            Test::IsNot(
                PROTOCOL,
                named!(
                    IPPROTO_IP,
                    IPPROTO_TCP,
                    IPPROTO_UDP,
                    IPPROTO_ICMP,
                    IPPROTO_ICMPV6,
                    IPPROTO_UDPLITE,
                    IPPROTO_MPTCP,
                ),
            ),
        ],
        NO_SUCH_PROTOCOL,
        "a seldom used protocol, loaded into the kernel on demand",
    ),
    tell_if(
        calls![SYS_socketpair],
        &[Test::IsNot(FAMILY, named!(AF_UNIX))],
        NO_SUCH_FAMILY,
        "only sockets of this kind come in pairs",
    ),
    // Streams and sequenced packets stay with their peer. A datagram socket of a pair can
    // still send to, and connect to, any socket file.
    tell_if(
        calls![SYS_socketpair],
        &[Test::IsNot(KIND, named!(SOCK_STREAM, SOCK_SEQPACKET))],
        NOT_PERMITTED,
        "a datagram socket sends to socket files of the host, though it has a peer",
    ),
];
