# bash completion for temper. Commands, options and choices come from `temper help --options`, that is from the one
# table the program itself uses, so this file never goes stale.

_temper_gallery() { "$1" gallery 2>/dev/null | sed '1d; s/ .*//'; }

_temper_lab() { "$1" lab 2>/dev/null | sed 's/ .*//'; }

_temper() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local program=${COMP_WORDS[0]} table word command='' kind option letter argument words=''
    COMPREPLY=()
    table=$("$program" help --options 2>/dev/null) || return 0

    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if grep -q "^command	$word\$" <<<"$table"; then
            command=$word
            break
        fi
    done

    # --option=value arrives as three words.
    if [[ $current == = ]]; then
        current=''
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    # The value of an option: one of its choices, stages of --dump, or a file.
    while IFS='|' read -r kind option letter argument; do
        [[ $kind == '*' || $kind == "$command" ]] || continue
        [[ -n $argument && ($previous == "$option" || (-n $letter && $previous == "$letter")) ]] || continue
        case $argument in
        FORMULA,FILE)
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            compopt -o filenames 2>/dev/null
            ;;
        *,*) # a word in capitals stands for what is not a choice
            mapfile -t COMPREPLY < <(compgen -W "$(tr ',' '\n' <<<"$argument" | grep -v '^[[:upper:]]*$')" -- "$current") ;;
        FILE)
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            compopt -o filenames 2>/dev/null
            ;;
        NAME) mapfile -t COMPREPLY < <(compgen -W "$(_temper_gallery "$program")" -- "$current") ;;
        OUTPUTS) mapfile -t COMPREPLY < <(compgen -W 'patterns channels heads patterns,channels,heads' -- "$current") ;;
        LIST) mapfile -t COMPREPLY < <(compgen -W 'formula hard soft formula,hard,soft' -- "$current") ;;
        esac
        return 0
    done < <(sed 's/|/,/g; s/\t/|/g' <<<"$table")

    if [[ $current == -* ]]; then
        while IFS='|' read -r kind option letter argument; do
            [[ $kind == '*' || $kind == "$command" ]] && words+="$option $letter "
        done < <(sed 's/|/,/g; s/\t/|/g' <<<"$table")
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    elif [[ -z $command || $command == help ]]; then
        words=$(sed -n 's/^command\t//p' <<<"$table")
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    elif [[ $command == lab ]]; then
        mapfile -t COMPREPLY < <(compgen -W "all $(_temper_lab "$program")" -- "$current")
    elif [[ $command == gallery ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_temper_gallery "$program")" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _temper temper
