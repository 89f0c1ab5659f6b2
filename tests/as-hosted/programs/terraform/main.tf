terraform {
  backend "http" {
    address = "https://api.basistheory.com/_coffer/no-state"
  }
}
