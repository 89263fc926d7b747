//! The programs that only read, each with the flags that keep it so.
//!
//! In review: no program may stand here whose listed flags let it write a file, start a program
//! or reach the network. Flags that would are left out, or marked with a dash so that no
//! abbreviation of them passes.

use crate::facts::Argument;

use super::super::shape::{Shape, shape};

/// All programs, sorted by name.
pub(super) const PROGRAMS: &[Shape] = &[
    shape("ack", "#A:B:C:HILQRSVcfghiklm:noprsvwx1", ACK).guarded(),
    shape("addr2line", "CRab:e:fhij:prsv", ADDR2LINE),
    shape("ag", "#A:B:C:DFG:HLQRSUVacfg:hiklm:noprstuvwz0", AG).guarded(),
    shape("apropos", "C:M:ademL:lm:rs:wV", WHATIS),
    shape("apt-cache", "aqfgin", APT_CACHE)
        .guarded()
        .each(is_package_query),
    shape("arch", "", "help version").guarded().at_most(0),
    shape(
        "arp",
        "aenvV",
        "all numeric verbose version -delete -set -file",
    )
    .guarded()
    .at_most(1),
    shape("b2sum", "bcl:twz", B2SUM),
    shape("b3sum", "cl:", B3SUM),
    shape(
        "base32",
        "dDiw:b:",
        "decode ignore-garbage wrap= break= help version",
    ),
    shape(
        "base64",
        "dDw:b:hi",
        "decode ignore-garbage wrap= break= help version",
    )
    .guarded()
    .at_most(1),
    shape("basename", "as:z", "multiple suffix= zero help version"),
    shape("basenc", "diw:", BASENC),
    shape("bat", "AH:LPSdfhl:npr:suV", BAT).guarded(),
    shape("batcat", "AH:LPSdfhl:npr:suV", BAT).guarded(),
    shape(
        "bc",
        "hilqsvw",
        "interactive mathlib quiet standard warn help version",
    ),
    shape("blkid", "L:U:s:o:t:n:V", BLKID).guarded(),
    shape("brotlicat", "fq", ""),
    shape(
        "bunzip2",
        "#c!t!dqsvhVL",
        "stdout! test! verbose quiet small help! version!",
    )
    .guarded(),
    shape("bzcat", "fqsh", "quiet small help version"),
    shape(
        "bzcmp",
        "#BC:D:EF:HI:L:NS:TU:W:X:Zabcdefhinpqrstuvwx:y",
        DIFF,
    ),
    shape(
        "bzdiff",
        "#BC:D:EF:HI:L:NS:TU:W:X:Zabcdefhinpqrstuvwx:y",
        DIFF,
    ),
    shape(
        "bzgrep",
        "#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        GREP,
    ),
    shape(
        "bzip2",
        "#c!t!qsvhVL",
        "stdout! test! verbose quiet small help! version!",
    )
    .guarded(),
    shape("c++filt", "_nips:trv", CPPFILT),
    shape("cal", "1A:B:CHJMNSY3bd:ehijmn:opsvwy#", CAL),
    shape("cat", "AETbelnstuv", CAT),
    shape(
        "checkbashisms",
        "efnlpxh",
        "force lint newline posix extra early-fail help version",
    ),
    shape("cksum", "a:bcl:twz", CKSUM),
    shape("clear", "xVT:", ""),
    shape("cloc", "", CLOC).guarded(),
    shape("cmark", "t:e", CMARK),
    shape("cmp", "bi:ln:sv", CMP),
    shape(
        "colordiff",
        "#BC:D:EF:HI:L:NS:TU:W:X:Zabcdefhinpqrstuvwx:y",
        DIFF,
    ),
    shape("colrm", "V0", "help version zero"),
    shape(
        "column",
        "C:E:H:I:JKLN:O:R:S:T:VW:c:deh:i:l:mn:o:p:r:s:txk:",
        COLUMN,
    ),
    shape("comm", "123iz", COMM),
    shape("csvcut", "#c:C:d:tHhlnr:m:i:u:K:vx", CSVLOOK),
    shape("csvgrep", "#c:C:d:tHhlnr:m:i:u:K:vx", CSVLOOK),
    shape("csvjson", "#c:C:d:tHhlnr:m:i:u:K:vx", CSVLOOK),
    shape("csvlook", "#c:C:d:tHhlnr:m:i:u:K:vx", CSVLOOK),
    shape("csvstat", "#c:C:d:tHhlnr:m:i:u:K:vx", CSVLOOK),
    shape("cut", "b:c:d:f:nswz", CUT),
    shape("date", "I?Rd:f:jnr:uv:", DATE)
        .guarded()
        .each(is_format),
    shape("df", "B:HPTYabghiklmt:vx:", DF),
    shape(
        "diff",
        "#BC:D:EF:HI:L:NS:TU:W:X:Zabcdefhinpqrstuvwx:y",
        DIFF,
    ),
    shape("diff3", "3AEL:TXaeimx", DIFF3).guarded(),
    shape("diffstat", "CKRSbcf:hklmn:p:qr:s:tuvw:", "").guarded(),
    shape("dir", "1ABCDF?GHI:LNQRST:UXZabcdfghiklmnop:qrstuvw:x", LS),
    shape("dirname", "z", "zero help version"),
    shape("dmesg", "F:HJKL?PSTVdf:hkl:prtuwWxs:", DMESG).guarded(),
    shape("dnsdomainname", "hVv", "help version")
        .guarded()
        .at_most(0),
    shape("domainname", "hVv", "help version")
        .guarded()
        .at_most(0),
    shape("dos2unix", "i!", "info?!").guarded(),
    shape(
        "dpkg-architecture",
        "a:A:t:T:Llq:e:i:",
        "list query= equal= is= list-known help version",
    )
    .guarded()
    .at_most(0),
    shape("dpkg-query", "LlsSWcf:p", DPKG_QUERY).guarded(),
    shape("du", "0AB:DHI:LPSX:abcd:ghklmnrst:x", DU),
    shape("duf", "", DUF),
    shape("dust", "FHL:PRST:X:abcd:e:fhijmn:o:prsv:w:x", DUST),
    shape(
        "egrep",
        "#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        GREP,
    ),
    shape("env", "0iu:C:v", ENV).guarded().each(is_assignment),
    shape("exa", "#1@AFGHI:L:MRSTUabBdfghilmnoOrs:t:uxXZvD", EXA),
    shape("expand", "#it:", "initial tabs= help version"),
    shape("expr", "", "help version"),
    shape("eza", "#1@AFGHI:L:MRSTUabBdfghilmnoOrs:t:uxXZvD", EXA),
    shape("factor", "h", "exponents help version"),
    shape("false", "", "help version"),
    shape("fd", "#0HIL1S:Faj:c:d:e:E:fghilpqst:uo:V", FD).guarded(),
    shape("fdfind", "#0HIL1S:Faj:c:d:e:E:fghilpqst:uo:V", FD).guarded(),
    shape(
        "fgrep",
        "#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        GREP,
    ),
    shape("file", "0DEF:ILNSZbce:hiklnrsvzP:", FILE).guarded(),
    shape(
        "findmnt",
        "ACDF:HIJM:N:O:PQ:RS:T:UVabcd:efhiklmno:rst:uvwxyp?",
        FINDMNT,
    ),
    shape("fmt", "#cg:p:stuw:", FMT),
    shape(
        "fold",
        "bcsw:",
        "bytes characters spaces width= help version",
    ),
    shape("free", "LVbc:ghklms:tvw", FREE),
    shape("funzip", "", ""),
    shape("fuser", "#acfuvn:4l6MIV", FUSER).guarded(),
    shape("getcap", "nrv", ""),
    shape("getconf", "av:", ""),
    shape(
        "getent",
        "AVis:",
        "no-addrconfig no-idn service= help usage version",
    )
    .guarded()
    .each(is_local_database),
    shape("getfacl", "acdeEsRLPtpnvh", GETFACL),
    shape("getfattr", "n:de:m:hRLPv", GETFATTR),
    shape("gojq", "CMRSacef:hjL:nrsV", JQ),
    shape(
        "grep",
        "#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        GREP,
    ),
    shape("groups", "", "help version"),
    shape("gunzip", "#c!l!t!hLnNqvV", GUNZIP).guarded(),
    shape("gzcat", "fqhLV", "force quiet help version license"),
    shape("gzip", "#c!l!t!dhLnNqvV", GZIP).guarded(),
    shape("hd", "CL?Vbcde:f:n:os:vxX", HEXDUMP),
    shape("head", "#c:n:qvz", HEAD),
    shape("hexdump", "CL?Vbcde:f:n:os:vxX", HEXDUMP),
    shape("hexyl", "bgn:c:s:o:vp", HEXYL),
    shape("hostid", "", "help version"),
    shape("hostname", "AIadfisyVhv", HOSTNAME)
        .guarded()
        .at_most(0),
    shape("hostnamectl", "", "no-pager help version json=")
        .guarded()
        .each(is_status),
    shape("iconv", "Vcf:lst:", ICONV).guarded(),
    shape(
        "id",
        "GZagnpruzAFM",
        "context group groups name real user zero help version",
    ),
    shape("ifconfig", "asv", "").guarded().at_most(1),
    shape("info", "w!", "where! location!").guarded(),
    shape("infocmp", "1CILUVcdgilnpqrtux", "").guarded(),
    shape(
        "iostat", "#cdhkmNptxyzAIPuVrsTUwlC:G:", "human json pretty dec=",
    ),
    shape("join", "1:2:a:e:ij:o:t:v:z", JOIN),
    shape("jot", "bcnrsw#", ""),
    shape("jq", "CMRSacef:hjL:nrsV", JQ),
    shape("last", "#FRVab:dfhin:p:s:t:u:wx", LAST).guarded(),
    shape("lastb", "#FRVab:dfhin:p:s:t:u:wx", LAST).guarded(),
    shape("lastlog", "#FRVab:dfhin:p:s:t:u:wx", LAST).guarded(),
    shape("lastlog2", "#FRVab:dfhin:p:s:t:u:wx", LAST).guarded(),
    shape("ldconfig", "p!", "print-cache!").guarded().at_most(0),
    shape("locale", "acmkv", LOCALE),
    shape("localectl", "", "no-pager help version")
        .guarded()
        .each(is_status),
    shape("locate", "0Aabcd:eiHl:LNPpqr:wVhS", LOCATE),
    shape("logname", "", "help version"),
    shape(
        "look",
        "Vabdft:",
        "alternative alphanum ignore-case terminate= help version",
    ),
    shape(
        "ls",
        "1@ABCDF?GHI:LNOQRST:UWXZabcdefghiklmnopqrstuvw:xy%",
        LS,
    ),
    shape("lsar", "lLjvq", ""),
    shape("lsattr", "JPRVabcdehiglmno:p:qrst:uvx", LSMOD),
    shape(
        "lsb_release",
        "acdhirsv",
        "all codename description help id release short version",
    ),
    shape(
        "lsblk",
        "ADE:I:JMN:OPST?VY:Q:abde:fhilmno:prstvw:x:yz",
        LSBLK,
    ),
    shape("lscpu", "BC?JVabce?hp?rsxy", LSCPU),
    shape("lsd", "#1@AFGHI:L:MRSTUabBdfghilmnoOrs:t:uxXZvD", EXA),
    shape("lsfd", "JPRVabcdehiglmno:p:qrst:uvx", LSMOD),
    shape("lshw", "c:C:", LSHW).guarded(),
    shape("lsipc", "JPRVabcdehiglmno:p:qrst:uvx", LSMOD),
    shape("lsirq", "JPRVabcdehiglmno:p:qrst:uvx", LSMOD),
    shape("lslocks", "JPRVabcdehiglmno:p:qrst:uvx", LSMOD),
    shape("lslogins", "JPRVabcdehiglmno:p:qrst:uvx", LSMOD),
    shape(
        "lsmem",
        "acmnpvzsbJo:r",
        "all bytes json human help version",
    ),
    shape("lsmod", "JPRVabcdehiglmno:p:qrst:uvx", LSMOD),
    shape("lsns", "JPRVabcdehiglmno:p:qrst:uvx", LSMOD),
    shape("lsof", "#c:d:p:u:g:s?i?T?F?KLMNOPRUVXZ?abf?hlnotvwxE", "").guarded(),
    shape("lspci", "DPPknmqtvxbs:d:V", "version help").guarded(),
    shape("lsusb", "D:Vvs:td:", "verbose tree version help"),
    shape(
        "lz4",
        "#c!t!dqvh!V!",
        "stdout! test! decompress list! quiet verbose help! version!",
    )
    .guarded(),
    shape("lz4cat", "fq", ""),
    shape(
        "lzcat",
        "fqhM:T:V",
        "force quiet memlimit= threads= single-stream help version",
    ),
    shape("man", "k!f!w!W!adiIs:S:", MAN).guarded(),
    shape("mcookie", "rt", "random time help version")
        .guarded()
        .at_most(0),
    shape("md5", "pqrs:tx", ""),
    shape("md5sum", "bctwz", MD5SUM),
    shape("mlocate", "0Aabcd:eiHl:LNPpqr:wVhS", LOCATE),
    shape("mount", "lvhVt:", "version help show-labels")
        .guarded()
        .at_most(0),
    shape(
        "mountpoint",
        "Vdhqx",
        "quiet nofollow fs-devno devno show help version",
    ),
    shape(
        "mpstat", "#cdhkmNptxyzAIPuVrsTUwlC:G:", "human json pretty dec=",
    ),
    shape("namei", "Vhlmnovx", NAMEI),
    shape("ncal", "1A:B:CHJMNSY3bd:ehijmn:opsvwy#", CAL),
    shape("ncdu", "vhV", "version help").at_most(0),
    shape("netstat", "46ACFMNWaceghilnoprstuvwxbfmLRSTZIdV", NETSTAT),
    shape("nice", "", "help version").at_most(0),
    shape("nisdomainname", "hVv", "help version")
        .guarded()
        .at_most(0),
    shape("nl", "b:d:f:h:i:l:n:ps:v:w:", NL),
    shape("nm", "ABCDPSUVWXaef:ghjlnopqrst:u", NM).guarded(),
    shape("nproc", "", "all ignore= help version"),
    shape(
        "numastat",
        "acmnpvzsbJo:r",
        "all bytes json human help version",
    ),
    shape("numfmt", "d:z", NUMFMT),
    shape("nvidia-smi", "Lqi:d:l:", NVIDIA_SMI)
        .guarded()
        .at_most(0),
    shape(
        "objdump",
        "C?DFGHI:K?LM:P:RSTU:VW?ab:defghij:lm:prstvwxz",
        OBJDUMP,
    )
    .guarded(),
    shape("od", "A:N:S:abcdfij:lost:vw?xBDFHIOLXeh", OD),
    shape(
        "paste",
        "d:sz",
        "delimiters= serial zero-terminated help version",
    ),
    shape("pathchk", "pP", "portability help version"),
    shape("pgrep", "AF:G:LO:P:U:acd:fg:ilnor:s:t:u:vwxV", PGREP).guarded(),
    shape("pidof", "co:qstxzS:mn", PIDOF),
    shape(
        "pidstat", "#cdhkmNptxyzAIPuVrsTUwlC:G:", "human json pretty dec=",
    ),
    shape("pinfo", "w!", "where! location!").guarded(),
    shape("pkg-config", "", PKG_CONFIG).guarded(),
    shape("pkgconf", "", PKG_CONFIG).guarded(),
    shape("plocate", "0Aabcd:eiHl:LNPpqr:wVhS", LOCATE),
    shape(
        "pmap",
        "AdpqrxXV",
        "extended device quiet range= show-path help version",
    ),
    shape("pr", "#D:FJN:S?TW:acde?fh:i?l:mn?o:rs?tvw:", PR),
    shape("primes", "h", ""),
    shape("printenv", "0", "null help version"),
    shape("procs", "at:v", PROCS).guarded(),
    shape(
        "ps",
        "#AHLMNSTVXZaceflmnrvwxyjdEo:O:p:C:G:U:g:q:s:t:u:k:P:",
        PS,
    ),
    shape("pstree", "ACGH:N:STUVZacghklnpstu", PSTREE),
    shape("pv", "abefIknpqrtTWs:lL:i:w:H:N:F:A:B:cCE", PV).guarded(),
    shape("pwd", "LPW", "logical physical help version"),
    shape(
        "pwdx",
        "AdpqrxXV",
        "extended device quiet range= show-path help version",
    ),
    shape("readelf", "ACDHILP:R:STU:VWacdeghlnp:rstuvw?x:z", READELF),
    shape("readlink", "efmnqsvz", READLINK),
    shape("realpath", "ELPemqsz", REALPATH),
    shape("rev", "V0", "help version zero"),
    shape(
        "rg",
        "#A:B:C:E:FHILM:NPST:UVZabcd:e:f:g:hij:lm:noqr:st:uvwxp.",
        RG,
    )
    .guarded(),
    shape(
        "rgrep",
        "#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        GREP,
    ),
    shape("rustfilt", "", ""),
    shape("sar", "#AbBdFhHkn:pqrRuvwWyzSP:s:e:i:", "human pretty").guarded(),
    shape("scc", "acdhi:mps:wvzM:x:", CLOC).guarded(),
    shape("sdiff", "BEHI:WZabdilstvw:", SDIFF).guarded(),
    shape("sensors", "Auj", ""),
    shape(
        "seq",
        "#f:s:t:w.",
        "format= separator= equal-width help version",
    ),
    shape("sha1sum", "bctwz", MD5SUM),
    shape("sha224sum", "bctwz", MD5SUM),
    shape("sha256sum", "bctwz", MD5SUM),
    shape("sha384sum", "bctwz", MD5SUM),
    shape("sha512sum", "bctwz", MD5SUM),
    shape("shasum", "01UPa:bcpqstvw", SHASUM),
    shape("shellcheck", "ae:i:f:o:P:s:S:W:wxCV", SHELLCHECK),
    shape("shuf", "ei:n:rz", SHUF).guarded(),
    shape(
        "size",
        "ABGVdfhotx",
        "format= radix= common totals target= help version",
    )
    .guarded(),
    shape("sleep", "", "help version"),
    shape("sort", "CMRS:Vbcdfghik:mnrst:uz", SORT).guarded(),
    shape("ss", "046A:BHMEOQTZabef:himnoprstuwxlVSdz", SS).guarded(),
    shape("stat", "Lc:ftxnFlqrs", STAT),
    shape("strings", "#T:U:Vade:fhn:os:t:vw", STRINGS),
    shape("sum", "rs", "sysv help version"),
    shape("sw_vers", "", "productName productVersion buildVersion"),
    shape(
        "swapon",
        "s!V!",
        "show?! summary! noheadings raw bytes version!",
    )
    .guarded()
    .at_most(0),
    shape("sync", "df", "data file-system help version"),
    shape("tac", "brs:", "before regex separator= help version"),
    shape("tail", "#Fc:fn:qrs:vzb:", TAIL),
    shape("timedatectl", "", "no-pager help version json=")
        .guarded()
        .each(is_status),
    shape("tokei", "fhVs:t:e:C", CLOC).guarded(),
    shape("top", "1HSb!cd:e:E:il:!n:o:p:u:U:w?", "batch! batch-mode!")
        .guarded()
        .at_most(0),
    shape("tput", "T:V", "").guarded().each(is_terminal_query),
    shape(
        "tr",
        "Ccdst",
        "complement delete squeeze-repeats truncate-set1 help version",
    ),
    shape("tree", "#ACDFI:JL:NP:QSUXadfghilnpqrstuvxc", TREE).guarded(),
    shape("true", "", "help version"),
    shape("ts", "irsm", ""),
    shape("tsort", "w", "help version"),
    shape("tty", "s", "silent quiet help version"),
    shape("uname", "aimnoprsv", UNAME),
    shape("unexpand", "#at:", "all first-only tabs= help version"),
    shape("uniq", "#Dcdf:is:uw:z", UNIQ).at_most(1),
    shape("unix2dos", "i!", "info?!").guarded(),
    shape("unlzma", "c!l!t!qvM:T:", UNXZ).guarded(),
    shape("unxz", "c!l!t!qvM:T:", UNXZ).guarded(),
    shape("unzip", "l!t!p!c!v!z!ZqCUh1", "").guarded(),
    shape("unzstd", "c!l!t!qv", "stdout! list! test! quiet verbose").guarded(),
    shape("uptime", "Vhprs", "pretty help since version raw"),
    shape("users", "", "help version"),
    shape("usleep", "", "help version"),
    shape("uuidgen", "rt", "random time help version")
        .guarded()
        .at_most(0),
    shape("vdir", "1ABCDF?GHI:LNQRST:UXZabcdfghiklmnop:qrstuvw:x", LS),
    shape("vmstat", "DS:Vadfhmnp:stwy", VMSTAT),
    shape("w", "Vcfhiopstu", W),
    shape("wc", "Lclmw", WC),
    shape("wdiff", "123aein", WDIFF).guarded(),
    shape("whatis", "C:M:ademL:lm:rs:wV", WHATIS),
    shape("whereis", "B:M:S:Vbfghlmsu", "help version").guarded(),
    shape("which", "aiVvs", WHICH),
    shape("who", "HTabdlmpqrstuw", WHO),
    shape("whoami", "", "help version"),
    shape("xargs", "#0a:d:E:e?I:i?L:l?n:P:rs:txo", XARGS).at_most(0),
    shape("xmllint", "", XMLLINT).guarded().each(is_local),
    shape("xxd", "Cabc:deEg:hil:n:o:prs:tuvR:", XXD)
        .guarded()
        .at_most(1),
    shape(
        "xxh128sum",
        "H:bchqvw",
        "tag check quiet strict status warn little-endian",
    ),
    shape(
        "xxh32sum",
        "H:bchqvw",
        "tag check quiet strict status warn little-endian",
    ),
    shape(
        "xxh64sum",
        "H:bchqvw",
        "tag check quiet strict status warn little-endian",
    ),
    shape(
        "xxhsum",
        "H:bchqvw",
        "tag check quiet strict status warn little-endian",
    ),
    shape("xz", "#c!l!t!deT:qvQM:h!H!V!", XZ).guarded(),
    shape(
        "xzcat",
        "fqhM:T:V",
        "force quiet memlimit= threads= single-stream help version",
    ),
    shape(
        "xzcmp",
        "#BC:D:EF:HI:L:NS:TU:W:X:Zabcdefhinpqrstuvwx:y",
        DIFF,
    ),
    shape(
        "xzdiff",
        "#BC:D:EF:HI:L:NS:TU:W:X:Zabcdefhinpqrstuvwx:y",
        DIFF,
    ),
    shape(
        "xzgrep",
        "#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        GREP,
    ),
    shape("yes", "", "help version"),
    shape("yq", "rcCMPNejno:p:I:V", YQ).guarded(),
    shape("zcat", "fqhLV", "force quiet help version license"),
    shape(
        "zcmp",
        "#BC:D:EF:HI:L:NS:TU:W:X:Zabcdefhinpqrstuvwx:y",
        DIFF,
    ),
    shape(
        "zdiff",
        "#BC:D:EF:HI:L:NS:TU:W:X:Zabcdefhinpqrstuvwx:y",
        DIFF,
    ),
    shape(
        "zegrep",
        "#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        GREP,
    ),
    shape(
        "zfgrep",
        "#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        GREP,
    ),
    shape(
        "zgrep",
        "#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        GREP,
    ),
    shape("zipinfo", "#1lmhtsTvzCM", "").guarded(),
    shape("zstd", "#c!l!t!dqvT:h!H!V!", ZSTD).guarded(),
    shape("zstdcat", "fqvhVM:", "memory= no-check help version"),
];

/// `date +FORMAT` prints; any other operand sets the clock.
fn is_format(_: usize, operand: &Argument) -> bool {
    operand.known().starts_with('+') && !operand.splits
}

/// `timedatectl` and its kin only show settings, without a word or with one of these.
fn is_status(_: usize, operand: &Argument) -> bool {
    operand.is_literal()
        && matches!(
            operand.text.as_str(),
            "status" | "show" | "list-locales" | "list-timezones" | "list-keymaps"
        )
}

/// `env` without a program; what a variable gets is judged as an assignment.
fn is_assignment(_: usize, operand: &Argument) -> bool {
    operand.known().contains('=') && !operand.splits
}

/// Whatever `tput` knows, but for what sets up the terminal with files and programs.
fn is_terminal_query(_: usize, operand: &Argument) -> bool {
    operand.is_literal() && !matches!(operand.text.as_str(), "init" | "reset" | "-S")
}

/// A database of this machine, and no names on the network.
fn is_local_database(position: usize, operand: &Argument) -> bool {
    const DATABASES: &[&str] = &[
        "aliases", "group", "gshadow", "initgroups", "passwd", "protocols", "rpc", "services",
        "shells", "subgid", "subuid",
    ];
    position > 0 || (operand.is_literal() && DATABASES.contains(&operand.text.as_str()))
}

/// A file, and no address.
fn is_local(_: usize, operand: &Argument) -> bool {
    !operand.known().contains("://")
}

/// The subcommand of `apt-cache`, then names.
fn is_package_query(position: usize, operand: &Argument) -> bool {
    const QUERIES: &[&str] = &[
        "depends", "dump", "madison", "pkgnames", "policy", "rdepends", "search", "show",
        "showpkg", "showsrc", "stats", "unmet",
    ];
    position > 0 || (operand.is_literal() && QUERIES.contains(&operand.text.as_str()))
}

const ACK: &str = "\
    after-context= before-context= context= color nocolor colour count files-with-matches \
    files-without-matches follow group nogroup heading noheading ignore-case ignore-dir= \
    ignore-directory= invert-match literal match= max-count= no-filename with-filename nopager \
    passthru print0 smart-case sort-files type= word-regexp column known-types -files-from= help \
    help-types version -pager= -output= -ackrc=";

const ADDR2LINE: &str = "\
    addresses target= exe= inlines section= pretty-print basenames functions demangle? \
    recurse-limit no-recurse-limit help version";

const AG: &str = "\
    ackmate after= before= context= color nocolor column nocolumn count depth= \
    file-search-regex= filename nofilename group nogroup hidden heading noheading ignore= \
    ignore-case case-sensitive smart-case invert-match line-numbers literal files-with-matches \
    files-without-matches max-count= numbers nonumbers only-matching print-all-files \
    print-long-lines passthrough skip-vcs-ignores unrestricted vimgrep word-regexp silent stats \
    parallel all-types all-text follow path-to-ignore= search-binary one-device null width= \
    list-file-types help version -pager= -nopager";

const APT_CACHE: &str = "\
    all-versions quiet installed names-only recurse no-depends important help version -option= \
    -config-file= full";

const B2SUM: &str = "\
    binary check length= tag text zero ignore-missing quiet status strict warn help version";

const B3SUM: &str = "\
    check length= num-threads= keyed derive-key= no-mmap no-names raw quiet help version";

const BASENC: &str = "\
    base64 base64url base32 base32hex base16 base2msbf base2lsbf base58 decode ignore-garbage \
    wrap= z85 help version";

const BAT: &str = "\
    show-all plain language= highlight-line= file-name= diff diff-context= tabs= wrap= \
    chop-long-lines terminal-width= number color= italic-text= decorations= force-colorization \
    paging= theme= list-themes style= line-range= list-languages unbuffered squeeze-blank \
    squeeze-limit= help version no-config no-pager nonprintable-notation= strip-ansi= binary= \
    -pager= -map-syntax= -generate-config-file -diagnostic";

const BLKID: &str = "\
    label= uuid= output= match-tag= match-token= match-types= help version";

const CAL: &str = "\
    one three sunday monday julian year months= week twelve color? reform= iso span vertical \
    help version";

const CAT: &str = "\
    show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting help \
    version";

const CKSUM: &str = "\
    algorithm= base64 binary check length= raw tag text untagged zero ignore-missing quiet \
    status strict warn debug help version";

const CLOC: &str = "\
    by-file by-file-by-lang by-percent= csv json yaml xml md quiet exclude-dir= exclude-ext= \
    exclude-lang= include-lang= include-ext= not-match-d= not-match-f= match-d= match-f= git \
    progress-rate= fullpath hide-rate skip-uniqueness show-lang show-ext sum-one list-file= \
    files languages hidden no-ignore no-ignore-parent no-ignore-vcs sort= exclude= type= types= \
    compact num-format= help version wide no-cocomo no-complexity no-duplicates exclude-file= \
    -out= -report-file= -output= -config= -extract-with= -counted= -ignored= -found= \
    -categorized= -write-lang-def= -format-multi= -vcs=";

const CMARK: &str = "\
    to= smart unsafe hardbreaks nobreaks sourcepos normalize width= help version";

const CMP: &str = "\
    print-bytes ignore-initial= verbose bytes= quiet silent help version";

const COLUMN: &str = "\
    table table-name= table-order= table-columns= table-column= table-columns-limit= \
    table-noextreme= table-noheadings table-header-repeat table-hide= table-right= \
    table-truncate= table-wrap= table-colorscheme= table-maxout keep-empty-lines json tree= \
    tree-id= tree-parent= output-width= output-separator= separator= fillrows use-spaces= \
    wrap-separator= input-separator= color? help version";

const COMM: &str = "\
    check-order nocheck-order output-delimiter= total zero-terminated help version";

const CPPFILT: &str = "\
    strip-underscore no-strip-underscore no-params no-verbose types recurse-limit \
    no-recurse-limit format= help version";

const CSVLOOK: &str = "\
    columns= not-columns= names delimiter= tabs no-header-row regex= match= invert-match help \
    version csv json count min max mean median indent= lines= -file=";

const CUT: &str = "\
    bytes= characters= delimiter= fields= complement only-delimited output-delimiter= \
    zero-terminated help version";

const DATE: &str = "\
    date= debug file= iso-8601? resolution rfc-email rfc-822 rfc-2822 rfc-3339= reference= \
    -set= utc universal help version";

const DF: &str = "\
    all block-size= human-readable si inodes local no-sync output? portability sync total type= \
    print-type exclude-type= help version";

const DIFF: &str = "\
    normal brief report-identical-files context? unified? ed rcs side-by-side width= \
    left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs \
    initial-tab tabsize= suppress-blank-empty -paginate recursive no-dereference new-file \
    unidirectional-new-file ignore-file-name-case no-ignore-file-name-case exclude= \
    exclude-from= starting-file= from-file= to-file= ignore-case ignore-tab-expansion \
    ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines \
    ignore-matching-lines= text binary strip-trailing-cr ifdef= old-group-format= \
    new-group-format= changed-group-format= unchanged-group-format= line-format= \
    old-line-format= new-line-format= unchanged-line-format= minimal horizon-lines= \
    speed-large-files color? palette= help version";

const DIFF3: &str = "\
    show-all ed show-overlap easy-only overlap-only merge text strip-trailing-cr initial-tab \
    -diff-program= label= help version";

const DMESG: &str = "\
    file= facility= human json kernel color? level= nopager force-prefix raw noescape syslog \
    buffer-size= userspace follow follow-new decode show-delta reltime ctime notime \
    time-format= since= until= help version -clear -read-clear -console-off -console-on \
    -console-level=";

const DPKG_QUERY: &str = "\
    status list listfiles search show control-list showformat= print-avail no-pager help \
    version admindir= root= -load-avail";

const DU: &str = "\
    null all apparent-size block-size= bytes total dereference-args max-depth= -files0-from= \
    human-readable inodes dereference count-links no-dereference separate-dirs si summarize \
    threshold= time? time-style= exclude-from= exclude= one-file-system help version";

const DUF: &str = "\
    all avail-threshold= hide= hide-fs= hide-mp= inodes json only= only-fs= only-mp= output= \
    sort= style= theme= usage-threshold= version warnings width=";

const DUST: &str = "\
    depth= reverse number-of-lines= full-paths ignore-directory= no-percent-bars skip-total \
    apparent-size filecount filter= invert-filter= file_types terminal_width= no-colors \
    bars-on-right ignore_hidden";

const ENV: &str = "\
    null ignore-environment unset= chdir= debug list-signal-handling help version";

const EXA: &str = "\
    oneline grid long across recurse tree classify? color? colour? color-scale? \
    color-scale-mode= icons? no-quotes hyperlink absolute? all almost-all list-dirs level= \
    reverse sort= group-directories-first group-directories-last only-dirs only-files \
    ignore-glob= git-ignore binary bytes group smart-group header links inode modified mounts \
    numeric flags blocksize time= accessed created changed time-style= total-size \
    no-permissions octal-permissions no-filesize no-user no-time no-symlinks follow-symlinks \
    git no-git git-repos git-repos-no-status extended context stdin width= show-symlinks \
    group-dirs= date= size= permission= blocks= depth= ignore-config classic icon= icon-theme= \
    timesort sizesort extensionsort gitsort versionsort no-symlink total-size dereference \
    literal system-protected inode help version";

const FD: &str = "\
    hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive \
    ignore-case glob regex fixed-strings and= absolute-path relative-path list-details follow \
    full-path print0 max-depth= min-depth= exact-depth= exclude= prune type= extension= size= \
    changed-within= changed-before= newer= older= owner= color= threads= max-results= quiet \
    show-errors base-directory= path-separator= search-path= strip-cwd-prefix? one-file-system \
    format= help version -exec -exec-batch -batch-size=";

const FILE: &str = "\
    uncompress uncompress-noreport brief checking-printout exclude= exclude-quiet= -files-from= \
    separator= mime apple extension mime-type mime-encoding keep-going list dereference \
    no-dereference no-buffer no-pad print0 raw special-files parameter= -magic-file= -compile \
    -preserve-date -no-sandbox help version";

const FINDMNT: &str = "\
    fstab mtab kernel poll? timeout= all ascii bytes nocanonicalize canonicalize df direction= \
    evaluate tab-file= first-only invert json list task= noheadings options= output= output-all \
    pairs pseudo shadowed submounts raw real source= target= tree mountpoint= types= uniq \
    notruncate nofsroot shell verify verbose vfs-all deleted id= uniq-id= help version";

const FMT: &str = "\
    crown-margin prefix= split-only tagged-paragraph uniform-spacing width= goal= help version";

const FREE: &str = "\
    bytes kilo mega giga tera peta kibi mebi gibi tebi pebi human si lohi line total committed \
    seconds= count= wide help version";

const FUSER: &str = "\
    all mount user verbose namespace= list-signals -kill -interactive";

const GETFACL: &str = "\
    access default omit-header all-effective no-effective skip-base recursive logical physical \
    tabular numeric absolute-names version help";

const GETFATTR: &str = "\
    name= dump encoding= match= no-dereference absolute-names only-values recursive logical \
    physical version help";

const GREP: &str = "\
    extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case \
    no-ignore-case word-regexp line-regexp null-data no-messages invert-match version help \
    max-count= byte-offset line-number line-buffered with-filename no-filename label= \
    only-matching quiet silent binary-files= text directories= devices= recursive \
    dereference-recursive include= exclude= exclude-from= exclude-dir= include-dir= \
    files-without-match files-with-matches count initial-tab null before-context= \
    after-context= context= group-separator= no-group-separator color? colour? binary \
    unix-byte-offsets";

const GUNZIP: &str = "\
    stdout! to-stdout! list! test! verbose quiet name no-name help! version! license!";

const GZIP: &str = "\
    stdout! to-stdout! decompress uncompress list! test! verbose quiet name no-name help! \
    version! license! fast best";

const HEAD: &str = "\
    bytes= lines= quiet silent verbose zero-terminated help version";

const HEXDUMP: &str = "\
    one-byte-octal one-byte-char one-byte-hex canonical two-bytes-decimal two-bytes-octal \
    two-bytes-hex color? format= format-file= length= skip= no-squeezing help version";

const HEXYL: &str = "\
    length= bytes= skip= display-offset= no-squeezing color= border= plain no-characters \
    characters no-position position panels= base= terminal-width= help version block-size= \
    endianness= character-table= color-scheme= group-size=";

const HOSTNAME: &str = "\
    alias all-fqdns domain fqdn long ip-address all-ip-addresses short yp nis help version \
    -file= -boot";

const ICONV: &str = "\
    from-code= to-code= list silent verbose help usage version -output= byte-subst= \
    unicode-subst=";

const JOIN: &str = "\
    ignore-case check-order nocheck-order header zero-terminated help version";

const JQ: &str = "\
    tab indent= arg= argjson= slurpfile= rawfile= args jsonargs null-input raw-input slurp \
    compact-output raw-output raw-output0 join-output ascii-output sort-keys color-output \
    monochrome-output exit-status seq stream stream-errors unbuffered build-configuration help \
    version from-file= library-path= yaml-input yaml-output";

const LAST: &str = "\
    hostlast dns file= fulltimes ip limit= nohostname since= until= present= fullnames system \
    time-format= before= time= user= help version";

const LOCALE: &str = "\
    all-locales category-name charmaps keyword-name verbose help usage version";

const LOCATE: &str = "\
    all basename count database= existing follow ignore-case limit= null literal nofollow \
    transliterate quiet regexp= regex statistics wholename help version";

const LS: &str = "\
    all almost-all author escape block-size= ignore-backups color? directory dired classify? \
    file-type format= full-time group-directories-first no-group human-readable si \
    dereference-command-line dereference-command-line-symlink-to-dir hide= hyperlink? \
    indicator-style= inode ignore= kibibytes dereference numeric-uid-gid literal \
    hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size \
    sort= time= time-style= tabsize= width= context zero help version";

const LSBLK: &str = "\
    noempty discard dedup= include= json merge output-all pairs scsi tree? all bytes nodeps \
    exclude= fs ascii list perms noheadings output= paths raw inverse topology width= sort= \
    shell zoned sysroot= nvme virtio filter= highlight= ct= help version";

const LSCPU: &str = "\
    all online bytes caches? offline json extended? parse? sysroot= hex physical output-all raw \
    hierarchic? help version";

const LSHW: &str = "\
    short businfo json xml html class= disable= enable= quiet sanitize numeric notime help \
    version";

const LSMOD: &str = "\
    json list noheadings output= output-all task= raw notruncate nowrap type= tree= bytes \
    noinaccessible pid= help version shmems queues semaphores global id= time-format= creator \
    export newline numeric-perms time shell threads summary? inet? filter=";

const MAN: &str = "\
    apropos! whatis! where! path! location! where-cat! all ignore-case match-case sections= \
    -pager= -preprocessor= -html? -config-file= -manpath= -troff";

const MD5SUM: &str = "\
    binary check tag text zero ignore-missing quiet status strict warn help version";

const NAMEI: &str = "\
    mountpoints modes owners long nosymlinks vertical help version context";

const NETSTAT: &str = "\
    all continuous extended groups interfaces listening masquerade numeric numeric-hosts \
    numeric-ports numeric-users programs route statistics symbolic tcp udp raw unix timers \
    verbose wide fib cache help version";

const NL: &str = "\
    body-numbering= section-delimiter= footer-numbering= header-numbering= line-increment= \
    join-blank-lines= number-format= no-renumber number-separator= starting-line-number= \
    number-width= help version";

const NM: &str = "\
    debug-syms print-file-name demangle? no-demangle recurse-limit no-recurse-limit dynamic \
    format= extern-only ifunc-chars= just-symbols line-numbers numeric-sort no-sort portability \
    reverse-sort -plugin= print-size print-armap quiet size-sort special-syms synthetic radix= \
    target= undefined-only defined-only unicode= no-weak with-symbol-versions \
    without-symbol-versions help version";

const NUMFMT: &str = "\
    debug delimiter= field= format= from= from-unit= grouping header? invalid= padding= round= \
    suffix= to= to-unit= unit-separator= zero-terminated help version";

const NVIDIA_SMI: &str = "\
    list-gpus query display= id= query-gpu= query-compute-apps= format= loop= help version";

const OBJDUMP: &str = "\
    archive-headers file-headers private-headers private= all-headers headers section-headers \
    disassemble? disassemble-all disassemble-zeroes source source-comment? full-contents \
    debugging debugging-tags stabs dwarf? process-links ctf? sframe? syms dynamic-syms reloc \
    dynamic-reloc version info help target= architecture= section= disassembler-options= \
    endian= file-start-context include= line-numbers file-offsets demangle? recurse-limit \
    no-recurse-limit wide unicode= start-address= stop-address= no-addresses no-show-raw-insn \
    show-raw-insn prefix-addresses insn-width= adjust-vma= show-all-symbols special-syms \
    inlines prefix= prefix-strip= dwarf-depth= dwarf-start= dwarf-check ctf-parent= \
    visualize-jumps? disassembler-color= -plugin=";

const OD: &str = "\
    address-radix= endian= skip-bytes= read-bytes= strings? format= output-duplicates width? \
    traditional help version";

const PGREP: &str = "\
    delimiter= list-name list-full inverse lightweight count full pgroup= group= ignore-case \
    newest oldest older= parent= session= terminal= euid= uid= exact pidfile= logpidfile \
    runstates= ignore-ancestors cgroup= env= ns= nslist= help version -signal=";

const PIDOF: &str = "\
    omit-pid= single-shot check-root quiet separator= with-workers help version";

const PKG_CONFIG: &str = "\
    libs cflags modversion exists print-errors list-all libs-only-l libs-only-L cflags-only-I \
    variable= print-variables version atleast-version= exact-version= max-version= static \
    short-errors silence-errors print-provides print-requires help cflags-only-other \
    libs-only-other";

const PR: &str = "\
    columns= across show-control-chars double-space date-format= expand-tabs? form-feed header= \
    output-tabs? join-lines length= merge number-lines? first-line-number= indent= \
    no-file-warnings separator? sep-string? omit-header omit-pagination pages= show-nonprinting \
    width= page-width= help version";

const PROCS: &str = "\
    tree? color= sortd= sorta= only= no-header json and or nand nor list version help -pager= \
    -config=";

const PS: &str = "\
    cols= columns= context cumulative deselect forest format= headers no-headers noheader \
    noheaders headings no-headings lines= rows= ppid= pid= quick-pid= group= Group= user= User= \
    sid= sort= tty= width= info help? version";

const PSTREE: &str = "\
    arguments ascii color= compact-not highlight-all highlight-pid= show-pgids show-pids \
    show-parents thread-names hide-threads uid-changes numeric-sort long help version unicode \
    vt100";

const PV: &str = "\
    progress timer eta fineta rate average-rate bytes buffer-percent last-written= force \
    numeric quiet line-mode null interval= delay-start= width= height= name= format= cursor \
    size= rate-limit= buffer-size= no-splice skip-errors stop-at-size wait help version \
    -output= -pidfile= -remote= -watchfd= -store-and-forward=";

const READELF: &str = "\
    all file-header program-headers segments section-headers sections section-groups \
    section-details headers syms symbols dyn-syms lto-syms sym-base= demangle? no-demangle \
    recurse-limit no-recurse-limit unicode= notes relocs unwind dynamic version-info \
    arch-specific archive-index use-dynamic lint enable-checks extra-sym-info hex-dump= \
    string-dump= relocated-dump= decompress debug-dump? process-links dwarf-depth= dwarf-start= \
    ctf= ctf-parent= ctf-symbols= ctf-strings= sframe? histogram wide silent-truncation \
    got-contents help version";

const READLINK: &str = "\
    canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose \
    zero help version";

const REALPATH: &str = "\
    canonicalize canonicalize-existing canonicalize-missing logical physical quiet relative-to= \
    relative-base= strip no-symlinks zero help version";

const RG: &str = "\
    after-context= before-context= context= encoding= fixed-strings with-filename no-filename \
    no-line-number max-columns= pcre2 smart-case type= type-not= type-list type-add= \
    type-clear= multiline multiline-dotall null null-data text byte-offset count count-matches \
    max-depth= maxdepth= regexp= file= glob= iglob= glob-case-insensitive ignore-case threads= \
    files-with-matches files-without-match max-count= line-number only-matching quiet replace= \
    case-sensitive unrestricted invert-match word-regexp line-regexp pretty files follow hidden \
    no-hidden ignore-file= no-ignore no-ignore-vcs no-ignore-parent no-ignore-dot \
    no-ignore-global no-ignore-exclude no-ignore-files no-ignore-messages \
    ignore-file-case-insensitive no-messages no-config color= colors= column no-column heading \
    no-heading json passthru passthrough sort= sortr= sort-files stats trim vimgrep \
    max-columns-preview max-filesize= line-buffered block-buffered binary mmap no-mmap \
    one-file-system path-separator= field-match-separator= field-context-separator= \
    context-separator= no-context-separator crlf engine= auto-hybrid-regex dfa-size-limit= \
    regex-size-limit= debug trace hyperlink-format= include-zero stop-on-nonmatch generate= \
    pcre2-version require-git no-require-git no-unicode unicode no-encoding help version -pre= \
    -pre-glob= -hostname-bin= -search-zip";

const SDIFF: &str = "\
    -output= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change \
    ignore-all-space ignore-blank-lines ignore-matching-lines= strip-trailing-cr text width= \
    left-column suppress-common-lines expand-tabs tabsize= minimal speed-large-files \
    -diff-program= help version";

const SHASUM: &str = "\
    algorithm= binary check tag text UNIVERSAL 01 ignore-missing quiet status strict warn help \
    version";

const SHELLCHECK: &str = "\
    check-sourced color? include= exclude= format= list-optional norc rcfile= enable= \
    source-path= shell= severity= version wiki-link-count= external-sources extended-analysis= \
    help";

const SHUF: &str = "\
    echo input-range= head-count= -output= random-source= repeat zero-terminated help version";

const SORT: &str = "\
    ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting \
    month-sort human-numeric-sort numeric-sort random-sort random-source= reverse sort= \
    version-sort batch-size= check? -compress-program= debug -files0-from= key= merge -output= \
    stable buffer-size= field-separator= -temporary-directory= parallel= unique zero-terminated \
    help version";

const SS: &str = "\
    help version numeric resolve all listening options extended memory processes threads info \
    tipcinfo summary tos cgroup bpf events context contexts net= ipv4 ipv6 packet tcp mptcp \
    sctp udp dccp raw unix tipc vsock xdp family= no-header oneline inet-sockopt no-queues \
    bound-inactive query= socket= filter= -kill -diag=";

const STAT: &str = "\
    dereference file-system cached= format= printf= terse help version";

const STRINGS: &str = "\
    all data print-file-name bytes= radix= include-all-whitespace target= encoding= unicode= \
    output-separator= help version";

const TAIL: &str = "\
    bytes= follow? lines= max-unchanged-stats= pid= quiet silent retry sleep-interval= verbose \
    zero-terminated debug help version";

const TREE: &str = "\
    dirsfirst filesfirst noreport nolinks help version charset= filelimit= du si prune \
    matchdirs metafirst ignore-case gitignore gitfile= infofile= info inodes device timefmt= \
    sort? fromfile fromtabfile hintro= houtro= opt-toggle compress= -output= hyperlink";

const UNAME: &str = "\
    all kernel-name nodename kernel-release kernel-version machine processor hardware-platform \
    operating-system help version";

const UNIQ: &str = "\
    count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique \
    zero-terminated check-chars= help version";

const UNXZ: &str = "\
    stdout! to-stdout! list! test! quiet verbose memlimit= threads=";

const VMSTAT: &str = "\
    active forks slabs one-header stats disk disk-sum partition= unit= wide timestamp no-first \
    help version";

const W: &str = "\
    no-header no-current short from old-style ip-addr container pids terminal help version";

const WC: &str = "\
    bytes chars lines -files0-from= max-line-length words total= debug help version";

const WDIFF: &str = "\
    statistics no-deleted no-inserted no-common ignore-case avoid-wraps help version \
    -auto-pager";

const WHATIS: &str = "\
    debug verbose exact wildcard regex and long sections= systems= manpath= locale= \
    config-file= help version usage";

const WHICH: &str = "\
    all read-alias skip-dot skip-tilde show-dot show-tilde tty-only version help";

const WHO: &str = "\
    all boot dead heading ips login lookup process count runlevel short time mesg users message \
    writable help version";

const XARGS: &str = "\
    null arg-file= delimiter= eof? replace? max-lines? max-args= max-procs= no-run-if-empty \
    max-chars= show-limits verbose exit process-slot-var= help version";

const XMLLINT: &str = "\
    noout valid format noent nonet pretty= xpath= schema= relaxng= dtdvalid= noblanks encode= \
    recover huge html xmlout version timing nocdata c14n nowarning debug stream sax push \
    pedantic postvalid copy nodefdtd insert -output= -shell -load-trace -catalogs -loaddtd \
    nsclean xinclude noxincludenode quiet help";

const XXD: &str = "\
    autoskip bits cols= capitalize ebcdic groupsize= include len= name= plain ps postscript \
    seek= upper help version";

const XZ: &str = "\
    stdout! to-stdout! list! test! decompress uncompress threads= quiet verbose no-warn robot \
    memlimit= single-stream extreme help! long-help! version! format=";

const YQ: &str = "\
    output-format= input-format= prettyPrint no-doc null-input exit-status colors no-colors \
    indent= raw-output unwrapScalar? yaml-output version help -inplace -in-place -split-exp=";

const ZSTD: &str = "\
    stdout! list! test! decompress uncompress quiet verbose threads= long? ultra no-check help! \
    version! memory=";
