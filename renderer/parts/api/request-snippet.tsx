import { Select, Stack } from '@mantine/core'
import { type SnippetLanguage, snippetLanguages } from '../../../shared/host/settings.ts'
import { Code } from '../../ui/text/code.tsx'
import { useBaseUrl } from '../connection/base-url.ts'
import { setPreference } from '../connection/preference.ts'
import { useSession } from '../connection/session.ts'
import { formatRequest } from './request-languages.ts'
import type { HttpRequest } from './snippets.ts'
import { strings } from './strings.ts'

/** The language that the owner has chosen for all code in the window. */
export function useLanguage(): SnippetLanguage {
  return useSession(({ status }) => status?.settings.language ?? 'curl')
}

type LanguageSelectProps = {
  readonly label?: string
  readonly width?: number
  readonly languages?: readonly SnippetLanguage[]
  readonly value?: SnippetLanguage
}

/** Chooses the language of all code in the window. */
export function LanguageSelect({
  label,
  width = 116,
  languages = snippetLanguages,
  value,
}: LanguageSelectProps) {
  const chosen = useLanguage()
  return (
    <Select
      {...(label === undefined ? { 'aria-label': strings.language, size: 'xs' } : { label })}
      styles={{ wrapper: { maxWidth: width } }}
      data={languages.map((each) => ({ value: each, label: strings.languages[each] }))}
      value={value ?? chosen}
      onChange={(language) => language && setPreference({ language })}
    />
  )
}

export type SnippetRequest = Omit<HttpRequest, 'url'> & { readonly path: string }

type Props = {
  readonly request: SnippetRequest
  readonly secret?: boolean
  readonly wrap?: boolean
  readonly onCopied?: () => void
}

/** A request to the listener, as code in the chosen language. */
export function RequestSnippet({ request: { path, ...request }, ...copy }: Props) {
  const language = useLanguage()
  const text = formatRequest(language, { ...request, url: useBaseUrl() + path })
  return (
    <Stack gap={6} align="start" w="100%">
      <LanguageSelect />
      <Code text={text} what={strings.languages[language]} {...copy} />
    </Stack>
  )
}
