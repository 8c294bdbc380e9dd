package config

// DefaultTimeout is how many seconds a deploy waits for health checks.
const DefaultTimeout = 120

// MaxNameLength is how many characters the name of a service may have.
const MaxNameLength = 120

// KeptReleases is how many releases a service keeps.
const KeptReleases = 10
