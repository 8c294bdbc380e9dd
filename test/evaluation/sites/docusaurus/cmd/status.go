package cmd

import "fmt"

func init() {
	status := command("status", "Tell what runs", runStatus)
	status.String("env", "preview", "environment to ask")
	status.Bool("json", false, "print JSON")
}

func runStatus(args arguments) error {
	releases, err := list(args.text("env"))
	if err != nil {
		return err
	}
	for _, release := range releases {
		fmt.Println(release.id, release.state)
	}
	return nil
}
