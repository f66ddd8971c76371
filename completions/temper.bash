# bash completion for temper. What may come next is asked of the program itself, so this file never goes stale.
# Use it now: eval "$(temper completion bash)"

_temper() {
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        if [[ $word == FILES ]]; then
            local current=${COMP_WORDS[COMP_CWORD]}
            [[ $current == = ]] && current=''
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
            compopt -o filenames 2>/dev/null
        else
            COMPREPLY+=("$word")
        fi
    done < <("${COMP_WORDS[0]}" help --complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

complete -F _temper temper
