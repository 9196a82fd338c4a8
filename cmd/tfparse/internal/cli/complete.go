package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shells are the shells that have completion scripts.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completionCommand returns the verb that prints the completion scripts of cobra. They run the hidden verb __complete
// of the program.
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
			b.WriteString(bashFallback)
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

// bashFallback defines two functions of the package bash-completion, for systems without the package.
const bashFallback = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
        cur=${words[cword]} prev=${words[cword-1]}
    }
fi
if ! declare -F _filedir >/dev/null; then
    _filedir() { compopt -o default; }
fi
`

// complete defines the completion of the arguments and flag values of a verb. It is called only for __complete, because
// cobra keeps the functions of flags until the process ends.
func (a *App) complete(e *Env, c *cobra.Command, v *Command) {
	if v.Offers != nil {
		c.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return filterPrefix(typed, v.Offers(args)), cobra.ShellCompDirectiveNoFileComp
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f) // shells print the usage as it is
		offer := cobra.NoFileCompletions
		_, isFile := f.Annotations[FilesNote]
		_, isFeatures := f.Annotations[FeaturesNote]
		switch {
		case isFile:
			return // names of files are the default
		case f.Annotations[ValuesNote] != nil:
			offer = func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return filterPrefix(typed, f.Annotations[ValuesNote]), cobra.ShellCompDirectiveNoFileComp
			}
		case isFeatures && a.Features != nil:
			offer = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
				return filterPrefix(typed, a.offeredFeatures(e, args, typed)), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
			}
		}
		c.RegisterFlagCompletionFunc(f.Name, offer) // fails only if it is registered already
	})
}

// filterPrefix returns the offers that begin with the typed text.
func filterPrefix(typed string, offers []string) (matching []string) {
	for _, offer := range offers {
		if strings.HasPrefix(offer, typed) {
			matching = append(matching, offer)
		}
	}
	return matching
}

// offeredFeatures returns the features of the files in args, as continuations of a typed list of names.
func (a *App) offeredFeatures(e *Env, args []string, typed string) (offers []string) {
	typedBefore := typed[:strings.LastIndexByte(typed, ',')+1]
	taken := strings.Split(typedBefore, ",")
	if strings.HasPrefix(typed[len(typedBefore):], "-") { // an excluded name of --select
		typedBefore += "-"
	}
	for _, name := range a.Features(e, args) {
		if !slices.Contains(taken, name) && !strings.Contains(name, ",") {
			offers = append(offers, typedBefore+name)
		}
	}
	return offers
}

// offeredCommands returns the verbs that continue some words; without words also the topics.
func (a *App) offeredCommands(args []string) (offers []string) {
	typedBefore := strings.Join(append(slices.Clone(args), ""), " ")
	for _, c := range a.Commands() {
		if rest, ok := strings.CutPrefix(c.Name, typedBefore); ok && !strings.Contains(rest, " ") {
			offers = append(offers, rest+"\t"+a.readText(c.Name).short)
		}
	}
	if len(args) == 0 {
		offers = append(offers, topics...)
	}
	return offers
}
