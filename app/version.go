package app

// Version of Redgreen, by semantic versioning.
const Version = "0.1.0"
