import { Autocomplete, Select } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { type ApiOperation, isMap, isRepeatable } from '../../parts/api/api-document.ts'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { vault } from '../../parts/connection/vault.ts'
import formStyles from '../../ui/form.module.css'
import type { JsonSuggestion } from '../../ui/text/editor/json-props.ts'
import { type HintContext, suggestReferences, suggestTokens } from './body-hints.ts'
import { getVariables, useDrafts } from './drafts-store.ts'
import type { RequestDraft } from './request-draft.ts'
import { strings } from './strings.ts'

const t = strings.build

type Props = {
  readonly operation: ApiOperation
  readonly draft: RequestDraft
  readonly hints: HintContext
  readonly onChange: (draft: RequestDraft) => void
}

/** The parameters of the path and the query. */
export function Parameters({ operation, draft, hints, onChange }: Props) {
  return operation.parameters.map((parameter) => {
    const { name, schema, required, description } = parameter
    const value = draft.params[name] ?? ''
    const changeParameter = (text: string) =>
      onChange({ ...draft, params: { ...draft.params, [name]: text } })
    if (Array.isArray(schema.enum)) {
      return (
        <Select
          key={name}
          label={name}
          clearable
          data={schema.enum.map(String)}
          value={value === '' ? null : value}
          onChange={(picked) => changeParameter(picked ?? '')}
        />
      )
    }
    const placeholder = isMap(parameter) ? t.pair : isRepeatable(parameter) ? t.list : ''
    return (
      <TextParameter
        key={name}
        name={name}
        isToken={parameter.in === 'path' && operation.path.includes(`/tokens/{${name}}`)}
        required={required}
        title={description}
        placeholder={placeholder}
        value={value}
        hints={hints}
        onChange={changeParameter}
      />
    )
  })
}

type TextParameterProps = {
  readonly name: string
  /** Whether its value is the id of a token. */
  readonly isToken: boolean
  readonly required: boolean
  readonly title: string | undefined
  readonly placeholder: string
  readonly value: string
  readonly hints: HintContext
  readonly onChange: (value: string) => void
}

/** A parameter with suggestions: variables after `${`, and tokens if it is the id of one. */
function TextParameter({ name, isToken, value, hints, onChange, ...field }: TextParameterProps) {
  const [isFocused, setFocused] = useState(false)
  const [suggestions, setSuggestions] = useState<readonly JsonSuggestion[]>([])
  useEffect(() => {
    if (!isFocused) return
    let isCurrent = true
    const showSuggestions = (found: readonly JsonSuggestion[]) => isCurrent && setSuggestions(found)
    suggestValues(value, hints, isToken).then(showSuggestions, handleBackgroundError)
    return () => {
      isCurrent = false
    }
  }, [value, hints, isToken, isFocused])
  const details = new Map(suggestions.map(({ text, detail }) => [text, detail]))
  return (
    <Autocomplete
      label={name}
      className={field.required ? formStyles.wide : ''}
      classNames={{ input: 'mono' }}
      spellCheck={false}
      {...field}
      data={[...details.keys()]}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <>
          <span className="mono">{option.value}</span>
          <span className="faint">{details.get(option.value)}</span>
        </>
      )}
      value={value}
      onChange={onChange}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    />
  )
}

/** Suggests whole values for a parameter: what was typed, with its end completed. */
async function suggestValues(
  typed: string,
  hints: HintContext,
  isToken: boolean,
): Promise<readonly JsonSuggestion[]> {
  const found = await suggestReferences(typed, hints)
  if (!found) return isToken && hints.findTokens ? suggestTokens(typed, hints.findTokens) : []
  const start = typed.slice(0, typed.length - found.replaced.length)
  return found.suggestions.map(({ text, detail }) => ({ text: start + text, detail }))
}

const findTokens: HintContext['findTokens'] = async (find, size) =>
  (await vault.tokens.find({ find, sort: 'newest', size })).data

/** What a request may refer to: the variables of the selected environment and, for the owner, tokens. */
export function useHintContext(): HintContext {
  const isOwner = useIsOwner()
  const { environments, environment } = useDrafts()
  return useMemo(
    () => ({
      variables: getVariables({ environments, environment }),
      findTokens: isOwner ? findTokens : null,
    }),
    [environments, environment, isOwner],
  )
}
