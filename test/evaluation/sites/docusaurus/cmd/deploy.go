package cmd

import "example.com/ferry/internal/config"

func init() {
	deploy := command("deploy", "Ship the folder that you are in", runDeploy)
	deploy.String("env", "preview", "environment to ship to")
	deploy.Bool("skip-checks", false, "do not wait for health checks")
	deploy.Int("timeout", config.DefaultTimeout, "seconds to wait for health checks")
}

func runDeploy(args arguments) error {
	release, err := upload(args.folder, args.text("env"))
	if err != nil {
		return err
	}
	if args.isSet("skip-checks") {
		return nil
	}
	return waitUntilHealthy(release, args.number("timeout"))
}
