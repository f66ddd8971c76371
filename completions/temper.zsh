#compdef temper
# zsh completion for temper. What may come next is asked of the program itself, so this file never goes stale.
# Use it now: eval "$(temper completion zsh)", after compinit. For ever: put it as _temper into a folder of $fpath.

_temper() {
    local -a found
    found=("${(@f)$(${words[1]} help --complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    if (( ${found[(I)FILES]} )); then
        found=(${found:#FILES})
        _files
    fi
    found=(${found:#})
    (( $#found )) && compadd -a found
}

if [[ ${funcstack[1]} == _temper ]]; then
    _temper "$@"
else
    compdef _temper temper
fi
