import { TagsInput, TextInput } from '@mantine/core'
import { useCounts } from '../../../parts/tokens/counts-store.ts'
import { MonoArea, MonoInput } from '../../../ui/fields/mono-fields.tsx'
import { PairsInput } from '../../../ui/fields/pairs-input.tsx'
import { strings } from '../strings.ts'
import type { EditDraft } from './edit-draft.ts'

const t = strings.form

type FieldSentences = Readonly<Record<string, string>>
type DraftTexts = Omit<EditDraft, 'data'>

type Props = {
  readonly draft: DraftTexts
  readonly change: (part: Partial<DraftTexts>) => void
  readonly errors?: FieldSentences
  /** The container of a new token without any. */
  readonly defaultContainer?: string
}

export function PlaceFields({ draft, change, errors = {}, defaultContainer }: Props) {
  const { counts } = useCounts()
  const isDefault = defaultContainer !== undefined && draft.containers.length === 0
  return (
    <>
      <TagsInput
        label={t.containers}
        placeholder={isDefault ? t.containersDefault(defaultContainer) : ''}
        data={[...new Set(counts.map(({ container }) => container))]}
        value={[...draft.containers]}
        onChange={(containers) => change({ containers })}
        error={errors.containers}
        maxTags={10}
      />
      <PairsInput
        label={t.metadata}
        pairs={draft.metadata}
        onChange={(metadata) => change({ metadata })}
        labels={{ key: t.key, value: t.pairValue, add: t.addPair, remove: t.removePair }}
        error={formatErrorsBelow(errors, 'metadata')}
      />
    </>
  )
}

/** The expressions of a token, and when it expires. */
export function ExpressionFields({ draft, change, errors = {}, maskHelp }: Props & { maskHelp?: string }) {
  const getTextProps = (name: 'mask' | 'fingerprint_expression' | 'expires_at') => ({
    value: draft[name],
    error: formatErrorsBelow(errors, name),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      change({ [name]: event.currentTarget.value }),
  })
  return (
    <>
      <MonoArea label={t.mask} placeholder={maskHelp} minRows={2} maxRows={99} {...getTextProps('mask')} />
      <MonoInput label={t.fingerprint} {...getTextProps('fingerprint_expression')} />
      <TagsInput
        label={t.indexes}
        placeholder={t.indexesHelp}
        value={[...draft.search_indexes]}
        onChange={(search_indexes) => change({ search_indexes })}
        splitChars={[]}
        maxTags={10}
        error={Object.entries(errors).find(([path]) => path.startsWith('search_indexes'))?.[1]}
      />
      <TextInput label={t.expires} placeholder={t.expiresHelp} {...getTextProps('expires_at')} />
    </>
  )
}

/** The errors of a field and of what is in it, as one text. */
export function formatErrorsBelow(errors: FieldSentences, path: string): string | undefined {
  const matches = Object.entries(errors).filter(([each]) => each === path || each.startsWith(`${path}.`))
  if (matches.length === 0) return undefined
  return matches
    .map(([each, message]) => (each === path ? message : `${each.slice(path.length + 1)}: ${message}`))
    .join(' ')
}
