export function sectionOf(changelog: string, version: string): string | undefined
