/// `completion`: what tells a shell to ask `flowrun complete`.
enum CompletionScript {
    enum Shell: String, Sendable, Hashable, CaseIterable {
        case bash, zsh, fish
    }

    /// - Parameter program: Absolute path of flowrun: its name may be an alias.
    static func text(_ shell: Shell, program: String) -> String {
        let program = ShellWords.quoted([program])
        return switch shell {
        case .bash: bash(program)
        case .zsh: zsh(program)
        case .fish: fish(program)
        }
    }

    /// Words are taken from the line: bash breaks them at `=` and `:` too, and then completes what is behind.
    private static func bash(_ program: String) -> String {
        #"""
        # flowrun completion bash
        _flowrun() {
            local line=${COMP_LINE:0:COMP_POINT} words=() start= candidate note
            COMPREPLY=()
            read -a words <<<"$line"    # without -r: what a backslash stands before is part of its word
            [[ $line == *[[:space:]] && $line != *\\[[:space:]] ]] && words+=("")
            if [[ ${words[-1]} == --*=* && $COMP_WORDBREAKS == *=* ]]; then start=${words[-1]%%=*}=; fi
            while IFS=$'\t' read -r candidate note; do
                if [[ $candidate == :files ]]; then
                    compopt -o default
                else
                    candidate=${candidate#"$start"}
                    [[ $candidate == *[[:space:]\'\"\\\$\`\;\&\|\(\)\<\>\*\?]* ]] && printf -v candidate %q "$candidate"
                    COMPREPLY+=("$candidate")
                fi
            done < <(\#(program) complete -- "${words[@]:1}" 2>/dev/null)
        }
        complete -F _flowrun flowrun

        """#
    }

    private static func zsh(_ program: String) -> String {
        #"""
        #compdef flowrun
        # flowrun completion zsh
        _flowrun() {
            local -a candidates
            local line word note files=
            while IFS= read -r line; do
                if [[ $line == :files ]]; then
                    files=yes
                    continue
                fi
                word=${line%%$'\t'*}
                note=${line#$word}
                candidates+=("${word//:/\\:}:${note#$'\t'}")
            done < <(\#(program) complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
            (( $#candidates )) && _describe flowrun candidates
            [[ -n $files ]] && _files
            return 0
        }
        if [[ $funcstack[1] == _flowrun ]]; then _flowrun "$@"; else compdef _flowrun flowrun; fi

        """#
    }

    private static func fish(_ program: String) -> String {
        #"""
        # flowrun completion fish
        function __flowrun_complete
            set -l words (commandline -opc)
            set -e words[1]
            set -l current (commandline -ct)
            for line in (\#(program) complete -- $words "$current" 2>/dev/null)
                if test "$line" = :files
                    __fish_complete_path "$current"
                else
                    echo $line
                end
            end
        end
        complete -c flowrun -f -a '(__flowrun_complete)'

        """#
    }
}
