//! Names of programs that wait for a person.

/// Editors, whatever they are given.
pub(super) const EDITORS: &[&str] = &[
    "vi", "vim", "nvim", "vimdiff", "view", "rvim", "rview", "gvim", "ex", "nvi", "elvis", "nano",
    "rnano", "pico", "emacs", "emacsclient", "joe", "jmacs", "jstar", "jed", "mcedit", "micro",
    "helix", "hx", "kak", "ne", "mg", "zile", "tilde", "editor", "sensible-editor", "vile",
    "select-editor", "le", "amp", "dte", "nvimdiff", "vipe", "ed", "red", "pdfgrep-edit",
    "sudoedit", "visudo", "vipw", "vigr", "edquota", "sensible-pager", "hexedit", "bvi", "hte",
];

/// Programs that show a text page by page.
pub(super) const PAGERS: &[&str] = &[
    "less", "more", "most", "pg", "lv", "zless", "zmore", "bzless", "bzmore", "xzless", "xzmore",
    "zstdless", "lessfile", "vimpager", "moar", "ov", "pager", "slit", "info", "pinfo", "man",
    "lzless", "lzmore", "perldoc",
];

/// Programs that take the whole terminal, or that only ask.
pub(super) const SCREENS: &[&str] = &[
    "htop", "btop", "bpytop", "bashtop", "gtop", "vtop", "gotop", "ytop", "zenith", "btm", "atop",
    "glances", "nmon", "iftop", "nethogs", "bmon", "nload", "powertop", "slurm", "bandwhich",
    "k9s", "lazydocker", "lazygit", "gitui", "tig", "ctop", "dry", "ranger", "nnn", "vifm", "lf",
    "yazi", "broot", "nmtui", "alsamixer", "pulsemixer", "cfdisk", "raspi-config", "dselect",
    "cmatrix", "sl", "mutt", "neomutt", "alpine", "pine", "irssi", "weechat", "tin", "cmus",
    "ncmpcpp", "newsboat", "dialog", "whiptail", "zenity", "kdialog", "yad", "sk", "peco",
    "percol", "smenu", "watch", "viddy", "hwatch", "mosh", "telnet", "rlogin", "minicom",
    "picocom", "cu", "tio", "byobu", "mtr-tui", "nvtop", "radeontop", "intel_gpu_top", "slabtop",
    "iptraf", "iptraf-ng", "wavemon", "s-tui", "passwd", "gpasswd", "chfn", "gitk", "git-gui",
    "bpython", "ptpython", "ptipython", "pry", "utop", "iex", "evcxr", "groovysh", "bashdb", "pdb",
    "ipdb", "jdb", "pudb", "xterm", "gnome-terminal", "konsole", "alacritty", "kitty", "meld",
    "kdiff3", "tkdiff", "dpkg-reconfigure", "gdbtui", "cgdb", "links2", "termshark", "vared",
    "reptyr", "ytalk", "talk", "write",
];
