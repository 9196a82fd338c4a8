package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

func (a *App) completionCommand() *Command {
	return &Command{
		Name:  "completion",
		Args:  "bash|zsh|fish",
		Short: "print a script that completes command lines",
		Long: `
Print a script for a shell that completes commands, flags and their values. For
bash, put  source <(tfparse completion bash)  into ~/.bashrc. For zsh, write it
to a file called _tfparse in a directory of $fpath. For fish, write it to
~/.config/fish/completions/tfparse.fish.`,
		Examples: []string{
			"tfparse completion bash > tfparse.bash",
			"tfparse completion fish > tfparse.fish",
		},
		words: []string{"bash", "zsh", "fish"},
		Run: func(e *Env, args []string) error {
			if len(args) != 1 {
				return Usagef("want one of bash, zsh, fish")
			}
			switch args[0] {
			case "bash":
				return e.print(bashCompletion(a.Commands()))
			case "zsh":
				return e.print(zshCompletion(a.Commands()))
			case "fish":
				return e.print(fishCompletion(a.Commands()))
			}
			return Usagef("unknown shell %q: want one of bash, zsh, fish", args[0])
		},
	}
}

// A completedFlag is what a shell needs to know about a flag.
type completedFlag struct {
	long, short string
	usage       string
	takes       string // name of the value; "" for a switch
	values      []string
	files       bool
	preset      string // what help says of the default
}

func (c *Command) completedFlags() []completedFlag {
	all := []completedFlag{{long: "help", short: "h", usage: "say what the command does"}}
	c.FlagSet().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		if f.Value.Type() == "bool" {
			name = ""
		}
		_, files := f.Annotations[FilesNote]
		all = append(all, completedFlag{f.Name, f.Shorthand, usage, name, f.Annotations[ValuesNote], files, presetText(f, usage)})
	})
	return all
}

// presetText is what pflag prints behind the usage of a flag: its default, if that is not the
// zero value. pflag has no function that says so of one flag.
func presetText(f *pflag.Flag, usage string) string {
	one := pflag.NewFlagSet("", pflag.ContinueOnError)
	one.AddFlag(f)
	_, preset, _ := strings.Cut(one.FlagUsages(), usage)
	return strings.TrimSuffix(preset, "\n")
}

func bashCompletion(all []*Command) string {
	var b strings.Builder
	b.WriteString(`# bash completion for tfparse
_tfparse() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
    COMPREPLY=()
    # bash takes --flag=value for three words
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if ((COMP_CWORD == 1)); then
`)
	fmt.Fprintf(&b, "        COMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n        return\n    fi\n", strings.Join(topNames(all), " "))
	b.WriteString("    local verb=${COMP_WORDS[1]}\n")
	for _, c := range all {
		below := strings.Join(c.below(all), " ")
		if below == "" {
			continue
		}
		fmt.Fprintf(&b, `    if [[ $verb == %s ]] && ((COMP_CWORD == 2)) && [[ $cur != -* ]]; then
        local IFS=$'\n' # names of files may have spaces
        COMPREPLY=($(IFS=' '; compgen -W '%s' -- "$cur") $(compgen -f -- "$cur"))
        compopt -o filenames 2>/dev/null
        return
    fi
    if [[ $verb == %[1]s && " %[2]s " == *" ${COMP_WORDS[2]} "* ]] && ((COMP_CWORD > 2)); then
        verb+=" ${COMP_WORDS[2]}"
    fi
`, c.Name, below)
	}
	b.WriteString("    case $verb:$prev in\n")
	for _, c := range all {
		for _, f := range c.completedFlags() {
			pattern := fmt.Sprintf("'%s:--%s'", c.Name, f.long)
			if f.short != "" {
				pattern += fmt.Sprintf("|'%s:-%s'", c.Name, f.short)
			}
			switch {
			case f.values != nil:
				fmt.Fprintf(&b, "    %s) words='%s' ;;\n", pattern, strings.Join(f.values, " "))
			case f.takes != "":
				fmt.Fprintf(&b, "    %s) return ;;\n", pattern)
			}
		}
	}
	b.WriteString("    *)\n        case $verb:$cur in\n")
	for _, c := range all {
		var flags []string
		for _, f := range c.completedFlags() {
			flags = append(flags, "--"+f.long)
		}
		fmt.Fprintf(&b, "        '%s':-*) words='%s' ;;\n", c.Name, strings.Join(flags, " "))
		switch {
		case c.takesCommand:
			fmt.Fprintf(&b, "        '%s':*)\n            case $COMP_CWORD:${COMP_WORDS[2]} in\n", c.Name)
			fmt.Fprintf(&b, "            2:*) words='%s' ;;\n", strings.Join(topNames(all), " "))
			for _, above := range all {
				if below := above.below(all); below != nil {
					fmt.Fprintf(&b, "            3:%s) words='%s' ;;\n", above.Name, strings.Join(below, " "))
				}
			}
			b.WriteString("            esac\n            ;;\n")
		case c.words != nil:
			fmt.Fprintf(&b, "        '%s':*) words='%s' ;;\n", c.Name, strings.Join(c.words, " "))
		}
	}
	b.WriteString(`        esac
        ;;
    esac
    if [[ $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
    fi
}
complete -o default -F _tfparse tfparse
`)
	return b.String()
}

func zshCompletion(all []*Command) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	// Within a specification of _arguments brackets and colons have a meaning.
	plain := strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace
	var b strings.Builder
	b.WriteString("#compdef tfparse\n# zsh completion for tfparse\n_tfparse() {\n    local -a verbs\n    verbs=(\n")
	for _, c := range all {
		if !strings.Contains(c.Name, " ") {
			fmt.Fprintf(&b, "        %s\n", quote(c.Name+":"+plain(c.Short)))
		}
	}
	b.WriteString(`    )
    if (( CURRENT == 2 )); then
        _describe command verbs
        return
    fi
    local verb=$words[2]
    shift words
    (( CURRENT-- ))
`)
	for _, c := range all {
		for _, word := range c.below(all) {
			fmt.Fprintf(&b, "    if [[ $verb == %s && $words[2] == %s ]] && (( CURRENT > 2 )); then\n", c.Name, word)
			fmt.Fprintf(&b, "        verb=%s\n        shift words\n        (( CURRENT-- ))\n    fi\n", quote(c.Name+" "+word))
		}
	}
	b.WriteString("    case $verb in\n")
	for _, c := range all {
		fmt.Fprintf(&b, "    %s)\n", quote(c.Name))
		if c.takesCommand {
			for _, above := range all {
				if below := above.below(all); below != nil {
					fmt.Fprintf(&b, "        if [[ $words[2] == %s ]] && (( CURRENT == 3 )); then\n            compadd %s\n            return\n        fi\n", above.Name, strings.Join(below, " "))
				}
			}
		}
		b.WriteString("        _arguments")
		if below := c.below(all); below != nil {
			words := `{_alternative "commands:command:(` + strings.Join(below, " ") + `)" "files:file:_files"}`
			fmt.Fprintf(&b, " \\\n            %s", quote("1:file:"+words))
		}
		for _, f := range c.completedFlags() {
			value := ""
			switch {
			case f.values != nil:
				value = ":" + f.takes + ":(" + strings.Join(f.values, " ") + ")"
			case f.files:
				value = ":" + f.takes + ":_files"
			case f.takes != "":
				value = ":" + plain(f.takes) + ": "
			}
			equals := ""
			if f.takes != "" {
				equals = "="
			}
			fmt.Fprintf(&b, " \\\n            %s", quote("--"+f.long+equals+"["+plain(f.usage)+"]"+value))
			if f.short != "" {
				fmt.Fprintf(&b, " \\\n            %s", quote("-"+f.short+"["+plain(f.usage)+"]"+value))
			}
		}
		switch {
		case c.takesCommand:
			fmt.Fprintf(&b, " \\\n            %s", quote("1:command:("+strings.Join(topNames(all), " ")+")"))
		case c.words != nil:
			fmt.Fprintf(&b, " \\\n            %s", quote("*:word:("+strings.Join(c.words, " ")+")"))
		case c.Args != "":
			fmt.Fprintf(&b, " \\\n            %s", quote("*:file:_files"))
		}
		b.WriteString("\n        ;;\n")
	}
	b.WriteString(`    esac
}
if [[ $funcstack[1] == _tfparse ]]; then
    _tfparse
else
    compdef _tfparse tfparse
fi
`)
	return b.String()
}

func fishCompletion(all []*Command) string {
	quote := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
	}
	var b strings.Builder
	b.WriteString("# fish completion for tfparse\n")
	for _, c := range all {
		name, below, ok := strings.Cut(c.Name, " ")
		if !ok {
			fmt.Fprintf(&b, "complete -c tfparse -n __fish_use_subcommand -f -a %s -d %s\n", name, quote(c.Short))
			continue
		}
		only := quote("__fish_seen_subcommand_from " + name + "; and not __fish_seen_subcommand_from " + below)
		fmt.Fprintf(&b, "complete -c tfparse -n %s -a %s -d %s\n", only, below, quote(c.Short))
	}
	for _, c := range all {
		condition := "__fish_seen_subcommand_from " + strings.ReplaceAll(c.Name, " ", "; and __fish_seen_subcommand_from ")
		for _, word := range c.below(all) {
			condition += "; and not __fish_seen_subcommand_from " + word
		}
		seen := quote(condition)
		if c.takesCommand {
			fmt.Fprintf(&b, "complete -c tfparse -n %s -f -a %s\n", seen, quote(strings.Join(topNames(all), " ")))
			for _, above := range all {
				if below := above.below(all); below != nil {
					both := quote(condition + "; and __fish_seen_subcommand_from " + above.Name)
					fmt.Fprintf(&b, "complete -c tfparse -n %s -f -a %s\n", both, quote(strings.Join(below, " ")))
				}
			}
		}
		if c.words != nil {
			fmt.Fprintf(&b, "complete -c tfparse -n %s -f -a %s\n", seen, quote(strings.Join(c.words, " ")))
		}
		for _, f := range c.completedFlags() {
			fmt.Fprintf(&b, "complete -c tfparse -n %s -l %s", seen, f.long)
			if f.short != "" {
				fmt.Fprintf(&b, " -s %s", f.short)
			}
			switch {
			case f.values != nil:
				fmt.Fprintf(&b, " -x -a %s", quote(strings.Join(f.values, " ")))
			case f.files:
				b.WriteString(" -r")
			case f.takes != "":
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d %s\n", quote(f.usage))
		}
	}
	return b.String()
}
