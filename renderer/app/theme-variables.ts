import type { CSSVariablesResolver } from '@mantine/core'

/** Maps Mantine's variables to the variables of this theme, so that Mantine's components match ours. */
export const getThemeVariables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-body': 'var(--bg)',
    '--mantine-color-dimmed': 'var(--text-dim)',
    '--mantine-color-placeholder': 'var(--text-faint)',
    '--mantine-color-error': 'var(--red)',
    '--mantine-color-anchor': 'var(--accent-text)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-default-hover': 'var(--bg-hover)',
  }
  return {
    variables: {},
    light: { ...shared, '--mantine-color-default': '#ffffff' },
    dark: { ...shared, '--mantine-color-default': '#25252a' },
  }
}
