package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shells are those that completion has scripts for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completionCommand prints the scripts of cobra, which ask the program itself, by its hidden verb __complete.
func (a *App) completionCommand() *Command {
	offers := func(args []string) []string {
		if len(args) > 0 {
			return nil
		}
		return shells
	}
	return &Command{Name: "completion", Offers: offers, Run: func(e *Env, args []string) error {
		if len(args) != 1 || !slices.Contains(shells, args[0]) {
			return Usagef("want one of %s", strings.Join(shells, ", "))
		}
		root := &cobra.Command{Use: "tfparse"}
		var b strings.Builder
		var err error
		switch args[0] {
		case "bash":
			b.WriteString(bashWithoutPackage)
			err = root.GenBashCompletionV2(&b, true)
		case "zsh":
			err = root.GenZshCompletion(&b)
		case "fish":
			err = root.GenFishCompletion(&b, true)
		case "powershell":
			err = root.GenPowerShellCompletionWithDesc(&b)
		}
		if err != nil {
			return err
		}
		return e.print(b.String())
	}}
}

// bashWithoutPackage defines two functions of the package bash-completion, for containers without that package.
const bashWithoutPackage = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
        cur=${words[cword]} prev=${words[cword-1]}
    }
fi
if ! declare -F _filedir >/dev/null; then
    _filedir() { compopt -o default; }
fi
`

// complete sets what the shell offers for the arguments of a verb and for the values of its flags. It is for
// __complete alone: cobra keeps every flag with such a function for as long as the process lives.
func (a *App) complete(e *Env, c *cobra.Command, v *Command) {
	if v.Offers != nil {
		c.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return beginningWith(typed, v.Offers(args)), cobra.ShellCompDirectiveNoFileComp
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f) // shells show it as it is
		offer := cobra.NoFileCompletions
		_, isFile := f.Annotations[FilesNote]
		_, isFeatures := f.Annotations[FeaturesNote]
		switch {
		case isFile:
			return // files are the default
		case f.Annotations[ValuesNote] != nil:
			offer = func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return beginningWith(typed, f.Annotations[ValuesNote]), cobra.ShellCompDirectiveNoFileComp
			}
		case isFeatures && a.Features != nil:
			offer = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
				return beginningWith(typed, a.offeredFeatures(e, args, typed)), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
			}
		}
		c.RegisterFlagCompletionFunc(f.Name, offer) // an error says that it is registered
	})
}

// beginningWith returns the offers that go on from what is typed.
func beginningWith(typed string, offers []string) (matching []string) {
	for _, offer := range offers {
		if strings.HasPrefix(offer, typed) {
			matching = append(matching, offer)
		}
	}
	return matching
}

// offeredFeatures returns the features of the files that are named before, each after the names that
// are typed already.
func (a *App) offeredFeatures(e *Env, args []string, typed string) (offers []string) {
	typedBefore := typed[:strings.LastIndexByte(typed, ',')+1]
	taken := strings.Split(typedBefore, ",")
	if strings.HasPrefix(typed[len(typedBefore):], "-") { // of --select: a name that is left out
		typedBefore += "-"
	}
	for _, name := range a.Features(e, args) {
		if !slices.Contains(taken, name) && !strings.Contains(name, ",") {
			offers = append(offers, typedBefore+name)
		}
	}
	return offers
}

// offeredCommands returns the verbs that may come after some words, and the topics where no word comes before.
func (a *App) offeredCommands(args []string) (offers []string) {
	typedBefore := strings.Join(append(slices.Clone(args), ""), " ")
	for _, c := range a.Commands() {
		if rest, ok := strings.CutPrefix(c.Name, typedBefore); ok && !strings.Contains(rest, " ") {
			offers = append(offers, rest+"\t"+a.text(c.Name).short)
		}
	}
	if len(args) == 0 {
		offers = append(offers, topics...)
	}
	return offers
}
