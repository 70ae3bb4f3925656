# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of lanescope's command line in bash. Commands, options and their values are what --help says.
_lanescope()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= i words=
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${COMP_WORDS[i]} in
        --) # what follows is another program's
            compopt -o default
            return
            ;;
        -*) ;;
        *)
            command=${COMP_WORDS[i]}
            break
            ;;
        esac
    done
    if [ -z "$command" ]; then
        words=$(lanescope --help 2>/dev/null | sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p')
        [ "${word:0:1}" != - ] || words='--help --version'
    elif [ "${before:0:2}" = -- ] && [ "${word:0:1}" != - ]; then
        # "--format TEXT:{text,json}=text"
        words=$(lanescope "$command" --help 2>/dev/null |
            sed -n "s/^ .*$before [A-Z]*:{\([^}]*\)}.*/\1/p" | tr ',' ' ')
    elif [ "$command" = exercise ] && [ $((i + 1)) -eq "$COMP_CWORD" ]; then
        words=$(lanescope exercise --help 2>/dev/null | sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p')
    elif [ "$command" = exercise ] && [ $((i + 2)) -eq "$COMP_CWORD" ] && [ "$before" != check ]; then
        words=$(lanescope exercise list 2>/dev/null | cut -d ' ' -f 1)
    elif [ "${word:0:1}" = - ]; then
        words=$(lanescope "$command" --help 2>/dev/null | grep -o -- '--[a-z][a-z-]*' | sort -u)
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _lanescope lanescope
