# fish completion for temper. What may come next is asked of the program itself, so this file never goes stale.
# Use it now: temper completion fish | source

function __temper_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] help --complete -- $words[2..-1] 2>/dev/null)
    for word in $found
        if test "$word" = FILES
            __fish_complete_path (commandline -ct)
        else
            echo $word
        end
    end
end

complete -c temper -f -a '(__temper_complete)'
