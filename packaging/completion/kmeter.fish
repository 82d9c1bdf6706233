# SPDX-License-Identifier: GPL-2.0
#
# kmeter.fish: completion for fish.  What may stand there, kmeter itself says (kmeter complete).

# The word as far as it is typed, without its quotes.
function __kmeter_typed
    set -l raw (commandline -ct | string collect)
    set -l plain (string unescape -- $raw 2>/dev/null | string collect)
    if test $pipestatus[1] -ne 0
        # A quote is open: it ends here.
        for end in "'" '"' ''
            set plain (string unescape -- "$raw$end" 2>/dev/null | string collect)
            test $pipestatus[1] -eq 0; and break
        end
    end
    echo -n -- $plain
end

function __kmeter_complete
    set -l typed (__kmeter_typed | string collect)
    set -l before (commandline -opc)
    for line in (command $before[1] complete (count $before) $before "$typed" 2>/dev/null </dev/null)
        if not string match -q \t'*' -- $line
            echo -- $line
            continue
        end
        set -l words (string split ' ' -- (string trim -- $line))
        switch $words[1]
            case files folders
                set -l kept (string sub -l $words[2] -- "$typed")
                set -l path (string sub -s (math $words[2] + 1) -- "$typed")
                for file in (complete -C "'' $path" | string replace -r '\t.*' '')
                    if string match -q '*/' -- $file
                        echo -- $kept$file
                    else if test $words[1] = files
                        if test (count $words) -lt 3
                            echo -- $kept$file
                        else if contains -- (string replace -r '.*\.' '' -- $file) $words[3..-1]
                            echo -- $kept$file
                        end
                    end
                end
            case command
                set -l from (math $words[2] + 1)
                complete -C (string join ' ' -- (string escape -- $before[$from..-1]) (commandline -ct))
        end
    end
end

complete -c kmeter -f -a '(__kmeter_complete)'
