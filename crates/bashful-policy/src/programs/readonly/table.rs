//! The programs that only read, each with the flags that keep it so.
//!
//! In review: no program may stand here whose listed flags let it write a file, start a program
//! or reach the network. Flags that would are left out, or marked with a dash so that no
//! abbreviation of them passes.

use crate::facts::Argument;

use super::super::shape::{Shapes, guarded, shape};

/// All programs, sorted by the first name of each row.
#[rustfmt::skip]
pub(super) const PROGRAMS: Shapes = &[
    (&["ack"], guarded("#A:B:C:HILQRSVcfghiklm:noprsvwx1",
        "after-context= before-context= context= color nocolor colour count files-with-matches \
         files-without-matches follow group nogroup heading noheading ignore-case ignore-dir= \
         ignore-directory= invert-match literal match= max-count= no-filename with-filename \
         nopager passthru print0 smart-case sort-files type= word-regexp column known-types \
         -files-from= help help-types version -pager= -output= -ackrc=")),
    (&["addr2line"], shape("CRab:e:fhij:prsv",
        "addresses target= exe= inlines section= pretty-print basenames functions demangle? \
         recurse-limit no-recurse-limit help version")),
    (&["ag"], guarded("#A:B:C:DFG:HLQRSUVacfg:hiklm:noprstuvwz0",
        "ackmate after= before= context= color nocolor column nocolumn count depth= \
         file-search-regex= filename nofilename group nogroup hidden heading noheading ignore= \
         ignore-case case-sensitive smart-case invert-match line-numbers literal \
         files-with-matches files-without-matches max-count= numbers nonumbers only-matching \
         print-all-files print-long-lines passthrough skip-vcs-ignores unrestricted vimgrep \
         word-regexp silent stats parallel all-types all-text follow path-to-ignore= search-binary \
         one-device null width= list-file-types help version -pager= -nopager")),
    (&["apropos", "whatis"], shape("C:M:ademL:lm:rs:wV",
        "debug verbose exact wildcard regex and long sections= systems= manpath= locale= \
         config-file= help version usage")),
    (&["apt-cache"], guarded("aqfgin",
        "all-versions quiet installed names-only recurse no-depends important help version \
         -option= -config-file= full").each(is_package_query)),
    (&["arch"], guarded("", "help version").at_most(0)),
    (&["arp"], guarded("aenvV", "all numeric verbose version -delete -set -file").at_most(1)),
    (&["b2sum"], shape("bcl:twz",
        "binary check length= tag text zero ignore-missing quiet status strict warn help version")),
    (&["b3sum"], shape("cl:",
        "check length= num-threads= keyed derive-key= no-mmap no-names raw quiet help version")),
    (&["base32"], shape("dDiw:b:", "decode ignore-garbage wrap= break= help version")),
    (&["base64"],
        guarded("dDw:b:hi", "decode ignore-garbage wrap= break= help version").at_most(1)),
    (&["basename"], shape("as:z", "multiple suffix= zero help version")),
    (&["basenc"], shape("diw:",
        "base64 base64url base32 base32hex base16 base2msbf base2lsbf base58 decode ignore-garbage \
         wrap= z85 help version")),
    (&["bat", "batcat"], guarded("AH:LPSdfhl:npr:suV",
        "show-all plain language= highlight-line= file-name= diff diff-context= tabs= wrap= \
         chop-long-lines terminal-width= number color= italic-text= decorations= \
         force-colorization paging= theme= list-themes style= line-range= list-languages \
         unbuffered squeeze-blank squeeze-limit= help version no-config no-pager \
         nonprintable-notation= strip-ansi= binary= -pager= -map-syntax= -generate-config-file \
         -diagnostic")),
    (&["bc"], shape("hilqsvw", "interactive mathlib quiet standard warn help version")),
    (&["blkid"], guarded("L:U:s:o:t:n:V",
        "label= uuid= output= match-tag= match-token= match-types= help version")),
    (&["brotlicat", "lz4cat"], shape("fq", "")),
    (&["bunzip2"], guarded("#c!t!dqsvhVL", "stdout! test! verbose quiet small help! version!")),
    (&["bzcat"], shape("fqsh", "quiet small help version")),
    (&["bzcmp", "bzdiff", "colordiff", "diff", "xzcmp", "xzdiff", "zcmp", "zdiff"],
        shape("#BC:D:EF:HI:L:NS:TU:W:X:Zabcdefhinpqrstuvwx:y",
        "normal brief report-identical-files context? unified? ed rcs side-by-side width= \
         left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs \
         initial-tab tabsize= suppress-blank-empty -paginate recursive no-dereference new-file \
         unidirectional-new-file ignore-file-name-case no-ignore-file-name-case exclude= \
         exclude-from= starting-file= from-file= to-file= ignore-case ignore-tab-expansion \
         ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines \
         ignore-matching-lines= text binary strip-trailing-cr ifdef= old-group-format= \
         new-group-format= changed-group-format= unchanged-group-format= line-format= \
         old-line-format= new-line-format= unchanged-line-format= minimal horizon-lines= \
         speed-large-files color? palette= help version")),
    (&["bzgrep", "egrep", "fgrep", "grep", "rgrep", "xzgrep", "zegrep", "zfgrep", "zgrep"],
        shape("#A:B:C:D:EFGHILPRTUVZabcd:e:f:hilm:noqrsuvwxyz",
        "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case \
         no-ignore-case word-regexp line-regexp null-data no-messages invert-match version help \
         max-count= byte-offset line-number line-buffered with-filename no-filename label= \
         only-matching quiet silent binary-files= text directories= devices= recursive \
         dereference-recursive include= exclude= exclude-from= exclude-dir= include-dir= \
         files-without-match files-with-matches count initial-tab null before-context= \
         after-context= context= group-separator= no-group-separator color? colour? binary \
         unix-byte-offsets")),
    (&["bzip2"], guarded("#c!t!qsvhVL", "stdout! test! verbose quiet small help! version!")),
    (&["c++filt"], shape("_nips:trv",
        "strip-underscore no-strip-underscore no-params no-verbose types recurse-limit \
         no-recurse-limit format= help version")),
    (&["cal", "ncal"], shape("1A:B:CHJMNSY3bd:ehijmn:opsvwy#",
        "one three sunday monday julian year months= week twelve color? reform= iso span vertical \
         help version")),
    (&["cat"], shape("AETbelnstuv",
        "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting help \
         version")),
    (&["checkbashisms"],
        shape("efnlpxh", "force lint newline posix extra early-fail help version")),
    (&["cksum"], shape("a:bcl:twz",
        "algorithm= base64 binary check length= raw tag text untagged zero ignore-missing quiet \
         status strict warn debug help version")),
    (&["clear"], shape("xVT:", "")),
    (&["cloc"], guarded("", CLOC)),
    (&["cmark"], shape("t:e",
        "to= smart unsafe hardbreaks nobreaks sourcepos normalize width= help version")),
    (&["cmp"],
        shape("bi:ln:sv", "print-bytes ignore-initial= verbose bytes= quiet silent help version")),
    (&["colrm", "rev"], shape("V0", "help version zero")),
    (&["column"], shape("C:E:H:I:JKLN:O:R:S:T:VW:c:deh:i:l:mn:o:p:r:s:txk:",
        "table table-name= table-order= table-columns= table-column= table-columns-limit= \
         table-noextreme= table-noheadings table-header-repeat table-hide= table-right= \
         table-truncate= table-wrap= table-colorscheme= table-maxout keep-empty-lines json tree= \
         tree-id= tree-parent= output-width= output-separator= separator= fillrows use-spaces= \
         wrap-separator= input-separator= color? help version")),
    (&["comm"], shape("123iz",
        "check-order nocheck-order output-delimiter= total zero-terminated help version")),
    (&["csvcut", "csvgrep", "csvjson", "csvlook", "csvstat"], shape("#c:C:d:tHhlnr:m:i:u:K:vx",
        "columns= not-columns= names delimiter= tabs no-header-row regex= match= invert-match help \
         version csv json count min max mean median indent= lines= -file=")),
    (&["cut"], shape("b:c:d:f:nswz",
        "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= \
         zero-terminated help version")),
    (&["date"], guarded("I?Rd:f:jnr:uv:",
        "date= debug file= iso-8601? resolution rfc-email rfc-822 rfc-2822 rfc-3339= reference= \
         -set= utc universal help version").each(is_format)),
    (&["df"], shape("B:HPTYabghiklmt:vx:",
        "all block-size= human-readable si inodes local no-sync output? portability sync total \
         type= print-type exclude-type= help version")),
    (&["diff3"], guarded("3AEL:TXaeimx",
        "show-all ed show-overlap easy-only overlap-only merge text strip-trailing-cr initial-tab \
         -diff-program= label= help version")),
    (&["diffstat"], guarded("CKRSbcf:hklmn:p:qr:s:tuvw:", "")),
    (&["dir", "vdir"], shape("1ABCDF?GHI:LNQRST:UXZabcdfghiklmnop:qrstuvw:x", LS)),
    (&["dirname"], shape("z", "zero help version")),
    (&["dmesg"], guarded("F:HJKL?PSTVdf:hkl:prtuwWxs:",
        "file= facility= human json kernel color? level= nopager force-prefix raw noescape syslog \
         buffer-size= userspace follow follow-new decode show-delta reltime ctime notime \
         time-format= since= until= help version -clear -read-clear -console-off -console-on \
         -console-level=")),
    (&["dnsdomainname", "domainname", "nisdomainname"], guarded("hVv", "help version").at_most(0)),
    (&["dos2unix", "unix2dos"], guarded("i!", "info?!")),
    (&["dpkg-architecture"],
        guarded("a:A:t:T:Llq:e:i:", "list query= equal= is= list-known help version").at_most(0)),
    (&["dpkg-query"], guarded("LlsSWcf:p",
        "status list listfiles search show control-list showformat= print-avail no-pager help \
         version admindir= root= -load-avail")),
    (&["du"], shape("0AB:DHI:LPSX:abcd:ghklmnrst:x",
        "null all apparent-size block-size= bytes total dereference-args max-depth= -files0-from= \
         human-readable inodes dereference count-links no-dereference separate-dirs si summarize \
         threshold= time? time-style= exclude-from= exclude= one-file-system help version")),
    (&["duf"], shape("",
        "all avail-threshold= hide= hide-fs= hide-mp= inodes json only= only-fs= only-mp= output= \
         sort= style= theme= usage-threshold= version warnings width=")),
    (&["dust"], shape("FHL:PRST:X:abcd:e:fhijmn:o:prsv:w:x",
        "depth= reverse number-of-lines= full-paths ignore-directory= no-percent-bars skip-total \
         apparent-size filecount filter= invert-filter= file_types terminal_width= no-colors \
         bars-on-right ignore_hidden")),
    (&["env"], guarded("0iu:C:v",
        "null ignore-environment unset= chdir= debug list-signal-handling help version")
        .each(is_assignment)),
    (&["exa", "eza", "lsd"], shape("#1@AFGHI:L:MRSTUabBdfghilmnoOrs:t:uxXZvD",
        "oneline grid long across recurse tree classify? color? colour? color-scale? \
         color-scale-mode= icons? no-quotes hyperlink absolute? all almost-all list-dirs level= \
         reverse sort= group-directories-first group-directories-last only-dirs only-files \
         ignore-glob= git-ignore binary bytes group smart-group header links inode modified mounts \
         numeric flags blocksize time= accessed created changed time-style= total-size \
         no-permissions octal-permissions no-filesize no-user no-time no-symlinks follow-symlinks \
         git no-git git-repos git-repos-no-status extended context stdin width= show-symlinks \
         group-dirs= date= size= permission= blocks= depth= ignore-config classic icon= \
         icon-theme= timesort sizesort extensionsort gitsort versionsort no-symlink total-size \
         dereference literal system-protected inode help version")),
    (&["expand"], shape("#it:", "initial tabs= help version")),
    (&["expr", "false", "groups", "hostid", "logname", "sleep", "true", "users", "usleep", "whoami",
        "yes"], shape("", "help version")),
    (&["factor"], shape("h", "exponents help version")),
    (&["fd", "fdfind"], guarded("#0HIL1S:Faj:c:d:e:E:fghilpqst:uo:V",
        "hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive \
         ignore-case glob regex fixed-strings and= absolute-path relative-path list-details follow \
         full-path print0 max-depth= min-depth= exact-depth= exclude= prune type= extension= size= \
         changed-within= changed-before= newer= older= owner= color= threads= max-results= quiet \
         show-errors base-directory= path-separator= search-path= strip-cwd-prefix? \
         one-file-system format= help version -exec -exec-batch -batch-size=")),
    (&["file"], guarded("0DEF:ILNSZbce:hiklnrsvzP:",
        "uncompress uncompress-noreport brief checking-printout exclude= exclude-quiet= \
         -files-from= separator= mime apple extension mime-type mime-encoding keep-going list \
         dereference no-dereference no-buffer no-pad print0 raw special-files parameter= \
         -magic-file= -compile -preserve-date -no-sandbox help version")),
    (&["findmnt"], shape("ACDF:HIJM:N:O:PQ:RS:T:UVabcd:efhiklmno:rst:uvwxyp?",
        "fstab mtab kernel poll? timeout= all ascii bytes nocanonicalize canonicalize df \
         direction= evaluate tab-file= first-only invert json list task= noheadings options= \
         output= output-all pairs pseudo shadowed submounts raw real source= target= tree \
         mountpoint= types= uniq notruncate nofsroot shell verify verbose vfs-all deleted id= \
         uniq-id= help version")),
    (&["fmt"], shape("#cg:p:stuw:",
        "crown-margin prefix= split-only tagged-paragraph uniform-spacing width= goal= help \
         version")),
    (&["fold"], shape("bcsw:", "bytes characters spaces width= help version")),
    (&["free"], shape("LVbc:ghklms:tvw",
        "bytes kilo mega giga tera peta kibi mebi gibi tebi pebi human si lohi line total \
         committed seconds= count= wide help version")),
    (&["funzip", "rustfilt"], shape("", "")),
    (&["fuser"], guarded("#acfuvn:4l6MIV",
        "all mount user verbose namespace= list-signals -kill -interactive")),
    (&["getcap"], shape("nrv", "")),
    (&["getconf"], shape("av:", "")),
    (&["getent"], guarded("AVis:", "no-addrconfig no-idn service= help usage version")
        .each(is_local_database)),
    (&["getfacl"], shape("acdeEsRLPtpnvh",
        "access default omit-header all-effective no-effective skip-base recursive logical \
         physical tabular numeric absolute-names version help")),
    (&["getfattr"], shape("n:de:m:hRLPv",
        "name= dump encoding= match= no-dereference absolute-names only-values recursive logical \
         physical version help")),
    (&["gojq", "jq"], shape("CMRSacef:hjL:nrsV",
        "tab indent= arg= argjson= slurpfile= rawfile= args jsonargs null-input raw-input slurp \
         compact-output raw-output raw-output0 join-output ascii-output sort-keys color-output \
         monochrome-output exit-status seq stream stream-errors unbuffered build-configuration \
         help version from-file= library-path= yaml-input yaml-output")),
    (&["gunzip"], guarded("#c!l!t!hLnNqvV",
        "stdout! to-stdout! list! test! verbose quiet name no-name help! version! license!")),
    (&["gzcat", "zcat"], shape("fqhLV", "force quiet help version license")),
    (&["gzip"], guarded("#c!l!t!dhLnNqvV",
        "stdout! to-stdout! decompress uncompress list! test! verbose quiet name no-name help! \
         version! license! fast best")),
    (&["hd", "hexdump"], shape("CL?Vbcde:f:n:os:vxX",
        "one-byte-octal one-byte-char one-byte-hex canonical two-bytes-decimal two-bytes-octal \
         two-bytes-hex color? format= format-file= length= skip= no-squeezing help version")),
    (&["head"],
        shape("#c:n:qvz", "bytes= lines= quiet silent verbose zero-terminated help version")),
    (&["hexyl"], shape("bgn:c:s:o:vp",
        "length= bytes= skip= display-offset= no-squeezing color= border= plain no-characters \
         characters no-position position panels= base= terminal-width= help version block-size= \
         endianness= character-table= color-scheme= group-size=")),
    (&["hostname"], guarded("AIadfisyVhv",
        "alias all-fqdns domain fqdn long ip-address all-ip-addresses short yp nis help version \
         -file= -boot").at_most(0)),
    (&["hostnamectl", "timedatectl"], guarded("", "no-pager help version json=").each(is_status)),
    (&["iconv"], guarded("Vcf:lst:",
        "from-code= to-code= list silent verbose help usage version -output= byte-subst= \
         unicode-subst=")),
    (&["id"], shape("GZagnpruzAFM", "context group groups name real user zero help version")),
    (&["ifconfig"], guarded("asv", "").at_most(1)),
    (&["info", "pinfo"], guarded("w!", "where! location!")),
    (&["infocmp"], guarded("1CILUVcdgilnpqrtux", "")),
    (&["iostat", "mpstat", "pidstat"],
        shape("#cdhkmNptxyzAIPuVrsTUwlC:G:", "human json pretty dec=")),
    (&["join"], shape("1:2:a:e:ij:o:t:v:z",
        "ignore-case check-order nocheck-order header zero-terminated help version")),
    (&["jot"], shape("bcnrsw#", "")),
    (&["last", "lastb", "lastlog", "lastlog2"], guarded("#FRVab:dfhin:p:s:t:u:wx",
        "hostlast dns file= fulltimes ip limit= nohostname since= until= present= fullnames system \
         time-format= before= time= user= help version")),
    (&["ldconfig"], guarded("p!", "print-cache!").at_most(0)),
    (&["locale"], shape("acmkv",
        "all-locales category-name charmaps keyword-name verbose help usage version")),
    (&["localectl"], guarded("", "no-pager help version").each(is_status)),
    (&["locate", "mlocate", "plocate"], shape("0Aabcd:eiHl:LNPpqr:wVhS",
        "all basename count database= existing follow ignore-case limit= null literal nofollow \
         transliterate quiet regexp= regex statistics wholename help version")),
    (&["look"], shape("Vabdft:", "alternative alphanum ignore-case terminate= help version")),
    (&["ls"], shape("1@ABCDF?GHI:LNOQRST:UWXZabcdefghiklmnopqrstuvw:xy%", LS)),
    (&["lsar"], shape("lLjvq", "")),
    (&["lsattr", "lsfd", "lsipc", "lsirq", "lslocks", "lslogins", "lsmod", "lsns"],
        shape("JPRVabcdehiglmno:p:qrst:uvx",
        "json list noheadings output= output-all task= raw notruncate nowrap type= tree= bytes \
         noinaccessible pid= help version shmems queues semaphores global id= time-format= creator \
         export newline numeric-perms time shell threads summary? inet? filter=")),
    (&["lsb_release"], shape("acdhirsv", "all codename description help id release short version")),
    (&["lsblk"], shape("ADE:I:JMN:OPST?VY:Q:abde:fhilmno:prstvw:x:yz",
        "noempty discard dedup= include= json merge output-all pairs scsi tree? all bytes nodeps \
         exclude= fs ascii list perms noheadings output= paths raw inverse topology width= sort= \
         shell zoned sysroot= nvme virtio filter= highlight= ct= help version")),
    (&["lscpu"], shape("BC?JVabce?hp?rsxy",
        "all online bytes caches? offline json extended? parse? sysroot= hex physical output-all \
         raw hierarchic? help version")),
    (&["lshw"], guarded("c:C:",
        "short businfo json xml html class= disable= enable= quiet sanitize numeric notime help \
         version")),
    (&["lsmem", "numastat"], shape("acmnpvzsbJo:r", "all bytes json human help version")),
    (&["lsof"], guarded("#c:d:p:u:g:s?i?T?F?KLMNOPRUVXZ?abf?hlnotvwxE", "")),
    (&["lspci"], guarded("DPPknmqtvxbs:d:V", "version help")),
    (&["lsusb"], shape("D:Vvs:td:", "verbose tree version help")),
    (&["lz4"],
        guarded("#c!t!dqvh!V!", "stdout! test! decompress list! quiet verbose help! version!")),
    (&["lzcat", "xzcat"],
        shape("fqhM:T:V", "force quiet memlimit= threads= single-stream help version")),
    (&["man"], guarded("k!f!w!W!adiIs:S:",
        "apropos! whatis! where! path! location! where-cat! all ignore-case match-case sections= \
         -pager= -preprocessor= -html? -config-file= -manpath= -troff")),
    (&["mcookie", "uuidgen"], guarded("rt", "random time help version").at_most(0)),
    (&["md5"], shape("pqrs:tx", "")),
    (&["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"],
        shape("bctwz",
        "binary check tag text zero ignore-missing quiet status strict warn help version")),
    (&["mount"], guarded("lvhVt:", "version help show-labels").at_most(0)),
    (&["mountpoint"], shape("Vdhqx", "quiet nofollow fs-devno devno show help version")),
    (&["namei"], shape("Vhlmnovx",
        "mountpoints modes owners long nosymlinks vertical help version context")),
    (&["ncdu"], shape("vhV", "version help").at_most(0)),
    (&["netstat"], shape("46ACFMNWaceghilnoprstuvwxbfmLRSTZIdV",
        "all continuous extended groups interfaces listening masquerade numeric numeric-hosts \
         numeric-ports numeric-users programs route statistics symbolic tcp udp raw unix timers \
         verbose wide fib cache help version")),
    (&["nice"], shape("", "help version").at_most(0)),
    (&["nl"], shape("b:d:f:h:i:l:n:ps:v:w:",
        "body-numbering= section-delimiter= footer-numbering= header-numbering= line-increment= \
         join-blank-lines= number-format= no-renumber number-separator= starting-line-number= \
         number-width= help version")),
    (&["nm"], guarded("ABCDPSUVWXaef:ghjlnopqrst:u",
        "debug-syms print-file-name demangle? no-demangle recurse-limit no-recurse-limit dynamic \
         format= extern-only ifunc-chars= just-symbols line-numbers numeric-sort no-sort \
         portability reverse-sort -plugin= print-size print-armap quiet size-sort special-syms \
         synthetic radix= target= undefined-only defined-only unicode= no-weak \
         with-symbol-versions without-symbol-versions help version")),
    (&["nproc"], shape("", "all ignore= help version")),
    (&["numfmt"], shape("d:z",
        "debug delimiter= field= format= from= from-unit= grouping header? invalid= padding= \
         round= suffix= to= to-unit= unit-separator= zero-terminated help version")),
    (&["nvidia-smi"], guarded("Lqi:d:l:",
        "list-gpus query display= id= query-gpu= query-compute-apps= format= loop= help version")
        .at_most(0)),
    (&["objdump"], guarded("C?DFGHI:K?LM:P:RSTU:VW?ab:defghij:lm:prstvwxz",
        "archive-headers file-headers private-headers private= all-headers headers section-headers \
         disassemble? disassemble-all disassemble-zeroes source source-comment? full-contents \
         debugging debugging-tags stabs dwarf? process-links ctf? sframe? syms dynamic-syms reloc \
         dynamic-reloc version info help target= architecture= section= disassembler-options= \
         endian= file-start-context include= line-numbers file-offsets demangle? recurse-limit \
         no-recurse-limit wide unicode= start-address= stop-address= no-addresses no-show-raw-insn \
         show-raw-insn prefix-addresses insn-width= adjust-vma= show-all-symbols special-syms \
         inlines prefix= prefix-strip= dwarf-depth= dwarf-start= dwarf-check ctf-parent= \
         visualize-jumps? disassembler-color= -plugin=")),
    (&["od"], shape("A:N:S:abcdfij:lost:vw?xBDFHIOLXeh",
        "address-radix= endian= skip-bytes= read-bytes= strings? format= output-duplicates width? \
         traditional help version")),
    (&["paste"], shape("d:sz", "delimiters= serial zero-terminated help version")),
    (&["pathchk"], shape("pP", "portability help version")),
    (&["pgrep"], guarded("AF:G:LO:P:U:acd:fg:ilnor:s:t:u:vwxV",
        "delimiter= list-name list-full inverse lightweight count full pgroup= group= ignore-case \
         newest oldest older= parent= session= terminal= euid= uid= exact pidfile= logpidfile \
         runstates= ignore-ancestors cgroup= env= ns= nslist= help version -signal=")),
    (&["pidof"], shape("co:qstxzS:mn",
        "omit-pid= single-shot check-root quiet separator= with-workers help version")),
    (&["pkg-config", "pkgconf"], guarded("",
        "libs cflags modversion exists print-errors list-all libs-only-l libs-only-L cflags-only-I \
         variable= print-variables version atleast-version= exact-version= max-version= static \
         short-errors silence-errors print-provides print-requires help cflags-only-other \
         libs-only-other")),
    (&["pmap", "pwdx"], shape("AdpqrxXV", "extended device quiet range= show-path help version")),
    (&["pr"], shape("#D:FJN:S?TW:acde?fh:i?l:mn?o:rs?tvw:",
        "columns= across show-control-chars double-space date-format= expand-tabs? form-feed \
         header= output-tabs? join-lines length= merge number-lines? first-line-number= indent= \
         no-file-warnings separator? sep-string? omit-header omit-pagination pages= \
         show-nonprinting width= page-width= help version")),
    (&["primes"], shape("h", "")),
    (&["printenv"], shape("0", "null help version")),
    (&["procs"], guarded("at:v",
        "tree? color= sortd= sorta= only= no-header json and or nand nor list version help -pager= \
         -config=")),
    (&["ps"], shape("#AHLMNSTVXZaceflmnrvwxyjdEo:O:p:C:G:U:g:q:s:t:u:k:P:",
        "cols= columns= context cumulative deselect forest format= headers no-headers noheader \
         noheaders headings no-headings lines= rows= ppid= pid= quick-pid= group= Group= user= \
         User= sid= sort= tty= width= info help? version")),
    (&["pstree"], shape("ACGH:N:STUVZacghklnpstu",
        "arguments ascii color= compact-not highlight-all highlight-pid= show-pgids show-pids \
         show-parents thread-names hide-threads uid-changes numeric-sort long help version unicode \
         vt100")),
    (&["pv"], guarded("abefIknpqrtTWs:lL:i:w:H:N:F:A:B:cCE",
        "progress timer eta fineta rate average-rate bytes buffer-percent last-written= force \
         numeric quiet line-mode null interval= delay-start= width= height= name= format= cursor \
         size= rate-limit= buffer-size= no-splice skip-errors stop-at-size wait help version \
         -output= -pidfile= -remote= -watchfd= -store-and-forward=")),
    (&["pwd"], shape("LPW", "logical physical help version")),
    (&["readelf"], shape("ACDHILP:R:STU:VWacdeghlnp:rstuvw?x:z",
        "all file-header program-headers segments section-headers sections section-groups \
         section-details headers syms symbols dyn-syms lto-syms sym-base= demangle? no-demangle \
         recurse-limit no-recurse-limit unicode= notes relocs unwind dynamic version-info \
         arch-specific archive-index use-dynamic lint enable-checks extra-sym-info hex-dump= \
         string-dump= relocated-dump= decompress debug-dump? process-links dwarf-depth= \
         dwarf-start= ctf= ctf-parent= ctf-symbols= ctf-strings= sframe? histogram wide \
         silent-truncation got-contents help version")),
    (&["readlink"], shape("efmnqsvz",
        "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose \
         zero help version")),
    (&["realpath"], shape("ELPemqsz",
        "canonicalize canonicalize-existing canonicalize-missing logical physical quiet \
         relative-to= relative-base= strip no-symlinks zero help version")),
    (&["rg"], guarded("#A:B:C:E:FHILM:NPST:UVZabcd:e:f:g:hij:lm:noqr:st:uvwxp.",
        "after-context= before-context= context= encoding= fixed-strings with-filename no-filename \
         no-line-number max-columns= pcre2 smart-case type= type-not= type-list type-add= \
         type-clear= multiline multiline-dotall null null-data text byte-offset count \
         count-matches max-depth= maxdepth= regexp= file= glob= iglob= glob-case-insensitive \
         ignore-case threads= files-with-matches files-without-match max-count= line-number \
         only-matching quiet replace= case-sensitive unrestricted invert-match word-regexp \
         line-regexp pretty files follow hidden no-hidden ignore-file= no-ignore no-ignore-vcs \
         no-ignore-parent no-ignore-dot no-ignore-global no-ignore-exclude no-ignore-files \
         no-ignore-messages ignore-file-case-insensitive no-messages no-config color= colors= \
         column no-column heading no-heading json passthru passthrough sort= sortr= sort-files \
         stats trim vimgrep max-columns-preview max-filesize= line-buffered block-buffered binary \
         mmap no-mmap one-file-system path-separator= field-match-separator= \
         field-context-separator= context-separator= no-context-separator crlf engine= \
         auto-hybrid-regex dfa-size-limit= regex-size-limit= debug trace hyperlink-format= \
         include-zero stop-on-nonmatch generate= pcre2-version require-git no-require-git \
         no-unicode unicode no-encoding help version -pre= -pre-glob= -hostname-bin= -search-zip")),
    (&["sar"], guarded("#AbBdFhHkn:pqrRuvwWyzSP:s:e:i:", "human pretty")),
    (&["scc"], guarded("acdhi:mps:wvzM:x:", CLOC)),
    (&["sdiff"], guarded("BEHI:WZabdilstvw:",
        "-output= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change \
         ignore-all-space ignore-blank-lines ignore-matching-lines= strip-trailing-cr text width= \
         left-column suppress-common-lines expand-tabs tabsize= minimal speed-large-files \
         -diff-program= help version")),
    (&["sensors"], shape("Auj", "")),
    (&["seq"], shape("#f:s:t:w.", "format= separator= equal-width help version")),
    (&["shasum"], shape("01UPa:bcpqstvw",
        "algorithm= binary check tag text UNIVERSAL 01 ignore-missing quiet status strict warn \
         help version")),
    (&["shellcheck"], shape("ae:i:f:o:P:s:S:W:wxCV",
        "check-sourced color? include= exclude= format= list-optional norc rcfile= enable= \
         source-path= shell= severity= version wiki-link-count= external-sources \
         extended-analysis= help")),
    (&["shuf"], guarded("ei:n:rz",
        "echo input-range= head-count= -output= random-source= repeat zero-terminated help \
         version")),
    (&["size"], guarded("ABGVdfhotx", "format= radix= common totals target= help version")),
    (&["sort"], guarded("CMRS:Vbcdfghik:mnrst:uz",
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort \
         ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort random-source= \
         reverse sort= version-sort batch-size= check? -compress-program= debug -files0-from= key= \
         merge -output= stable buffer-size= field-separator= -temporary-directory= parallel= \
         unique zero-terminated help version")),
    (&["ss"], guarded("046A:BHMEOQTZabef:himnoprstuwxlVSdz",
        "help version numeric resolve all listening options extended memory processes threads info \
         tipcinfo summary tos cgroup bpf events context contexts net= ipv4 ipv6 packet tcp mptcp \
         sctp udp dccp raw unix tipc vsock xdp family= no-header oneline inet-sockopt no-queues \
         bound-inactive query= socket= filter= -kill -diag=")),
    (&["stat"], shape("Lc:ftxnFlqrs",
        "dereference file-system cached= format= printf= terse help version")),
    (&["strings"], shape("#T:U:Vade:fhn:os:t:vw",
        "all data print-file-name bytes= radix= include-all-whitespace target= encoding= unicode= \
         output-separator= help version")),
    (&["sum"], shape("rs", "sysv help version")),
    (&["sw_vers"], shape("", "productName productVersion buildVersion")),
    (&["swapon"], guarded("s!V!", "show?! summary! noheadings raw bytes version!").at_most(0)),
    (&["sync"], shape("df", "data file-system help version")),
    (&["tac"], shape("brs:", "before regex separator= help version")),
    (&["tail"], shape("#Fc:fn:qrs:vzb:",
        "bytes= follow? lines= max-unchanged-stats= pid= quiet silent retry sleep-interval= \
         verbose zero-terminated debug help version")),
    (&["tokei"], guarded("fhVs:t:e:C", CLOC)),
    (&["top"], guarded("1HSb!cd:e:E:il:!n:o:p:u:U:w?", "batch! batch-mode!").at_most(0)),
    (&["tput"], guarded("T:V", "").each(is_terminal_query)),
    (&["tr"], shape("Ccdst", "complement delete squeeze-repeats truncate-set1 help version")),
    (&["tree"], guarded("#ACDFI:JL:NP:QSUXadfghilnpqrstuvxc",
        "dirsfirst filesfirst noreport nolinks help version charset= filelimit= du si prune \
         matchdirs metafirst ignore-case gitignore gitfile= infofile= info inodes device timefmt= \
         sort? fromfile fromtabfile hintro= houtro= opt-toggle compress= -output= hyperlink")),
    (&["ts"], shape("irsm", "")),
    (&["tsort"], shape("w", "help version")),
    (&["tty"], shape("s", "silent quiet help version")),
    (&["uname"], shape("aimnoprsv",
        "all kernel-name nodename kernel-release kernel-version machine processor \
         hardware-platform operating-system help version")),
    (&["unexpand"], shape("#at:", "all first-only tabs= help version")),
    (&["uniq"], shape("#Dcdf:is:uw:z",
        "count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique \
         zero-terminated check-chars= help version").at_most(1)),
    (&["unlzma", "unxz"],
        guarded("c!l!t!qvM:T:", "stdout! to-stdout! list! test! quiet verbose memlimit= threads=")),
    (&["unzip"], guarded("l!t!p!c!v!z!ZqCUh1", "")),
    (&["unzstd"], guarded("c!l!t!qv", "stdout! list! test! quiet verbose")),
    (&["uptime"], shape("Vhprs", "pretty help since version raw")),
    (&["vmstat"], shape("DS:Vadfhmnp:stwy",
        "active forks slabs one-header stats disk disk-sum partition= unit= wide timestamp \
         no-first help version")),
    (&["w"], shape("Vcfhiopstu",
        "no-header no-current short from old-style ip-addr container pids terminal help version")),
    (&["wc"], shape("Lclmw",
        "bytes chars lines -files0-from= max-line-length words total= debug help version")),
    (&["wdiff"], guarded("123aein",
        "statistics no-deleted no-inserted no-common ignore-case avoid-wraps help version \
         -auto-pager")),
    (&["whereis"], guarded("B:M:S:Vbfghlmsu", "help version")),
    (&["which"], shape("aiVvs",
        "all read-alias skip-dot skip-tilde show-dot show-tilde tty-only version help")),
    (&["who"], shape("HTabdlmpqrstuw",
        "all boot dead heading ips login lookup process count runlevel short time mesg users \
         message writable help version")),
    (&["xargs"], shape("#0a:d:E:e?I:i?L:l?n:P:rs:txo",
        "null arg-file= delimiter= eof? replace? max-lines? max-args= max-procs= no-run-if-empty \
         max-chars= show-limits verbose exit process-slot-var= help version").at_most(0)),
    (&["xmllint"], guarded("",
        "noout valid format noent nonet pretty= xpath= schema= relaxng= dtdvalid= noblanks encode= \
         recover huge html xmlout version timing nocdata c14n nowarning debug stream sax push \
         pedantic postvalid copy nodefdtd insert -output= -shell -load-trace -catalogs -loaddtd \
         nsclean xinclude noxincludenode quiet help").each(is_local)),
    (&["xxd"], guarded("Cabc:deEg:hil:n:o:prs:tuvR:",
        "autoskip bits cols= capitalize ebcdic groupsize= include len= name= plain ps postscript \
         seek= upper help version").at_most(1)),
    (&["xxh128sum", "xxh32sum", "xxh64sum", "xxhsum"],
        shape("H:bchqvw", "tag check quiet strict status warn little-endian")),
    (&["xz"], guarded("#c!l!t!deT:qvQM:h!H!V!",
        "stdout! to-stdout! list! test! decompress uncompress threads= quiet verbose no-warn robot \
         memlimit= single-stream extreme help! long-help! version! format=")),
    (&["yq"], guarded("rcCMPNejno:p:I:V",
        "output-format= input-format= prettyPrint no-doc null-input exit-status colors no-colors \
         indent= raw-output unwrapScalar? yaml-output version help -inplace -in-place \
         -split-exp=")),
    (&["zipinfo"], guarded("#1lmhtsTvzCM", "")),
    (&["zstd"], guarded("#c!l!t!dqvT:h!H!V!",
        "stdout! list! test! decompress uncompress quiet verbose threads= long? ultra no-check \
         help! version! memory=")),
    (&["zstdcat"], shape("fqvhVM:", "memory= no-check help version")),
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

const CLOC: &str = "\
    by-file by-file-by-lang by-percent= csv json yaml xml md quiet exclude-dir= exclude-ext= \
    exclude-lang= include-lang= include-ext= not-match-d= not-match-f= match-d= match-f= git \
    progress-rate= fullpath hide-rate skip-uniqueness show-lang show-ext sum-one list-file= \
    files languages hidden no-ignore no-ignore-parent no-ignore-vcs sort= exclude= type= types= \
    compact num-format= help version wide no-cocomo no-complexity no-duplicates exclude-file= \
    -out= -report-file= -output= -config= -extract-with= -counted= -ignored= -found= \
    -categorized= -write-lang-def= -format-multi= -vcs=";

const LS: &str = "\
    all almost-all author escape block-size= ignore-backups color? directory dired classify? \
    file-type format= full-time group-directories-first no-group human-readable si \
    dereference-command-line dereference-command-line-symlink-to-dir hide= hyperlink? \
    indicator-style= inode ignore= kibibytes dereference numeric-uid-gid literal \
    hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size \
    sort= time= time-style= tabsize= width= context zero help version";
