import { isTokenType } from '../../../shared/token-types.ts'
import './playground.css'
import { Select, Textarea } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { isNumber, type Json } from '../../../shared/json.ts'
import { nameOf, tokenTypes, typeNames } from '../../parts/tokens/token-types.ts'
import { Chip } from '../../ui/chip.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { Code } from '../../ui/text/code.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Masked } from '../../ui/text/masked.tsx'
import { FilterList } from './filter-list.tsx'
import { change, evaluate, loadFilters, replace, typedText, usePlayground } from './playground-store.ts'
import { strings } from './strings.ts'

const t = strings

/** Expressions over sample data, and every filter they may use. */
export function Playground() {
  const { template, data } = usePlayground()
  const search = useRef<HTMLInputElement>(null)
  const editor = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    evaluate()
    loadFilters()
  }, [])
  const start = () => {
    replace({ template: '' }, t.cleared)
    editor.current?.focus()
  }
  const find = () => search.current?.select()
  useKeys({ 'mod+f': find, '/': find, 'mod+n': start, n: start })
  return (
    <>
      <div className="screen-head screen-head-line">
        <h1>{t.title}</h1>
        <span className="faint">{t.intro}</span>
      </div>
      <div className="play">
        <div className="play-side">
          <Textarea
            ref={editor}
            label={t.expression}
            description={t.expressionHelp}
            classNames={{ input: 'mono' }}
            autosize
            minRows={3}
            maxRows={10}
            spellCheck={false}
            value={template}
            onChange={(event) => change({ template: event.currentTarget.value })}
          />
          <Result />
          <Textarea
            label={t.data}
            description={t.dataHelp}
            classNames={{ input: 'mono' }}
            autosize
            minRows={6}
            maxRows={16}
            spellCheck={false}
            value={data}
            onChange={(event) => change({ data: event.currentTarget.value })}
          />
          <Select
            label={t.sample}
            w={240}
            data={typeNames.map((value) => ({ value, label: nameOf(value) }))}
            value={null}
            placeholder={t.samplePick}
            onChange={(value) => {
              if (value && isTokenType(value))
                replace({ data: typedText(tokenTypes[value].sample) }, t.replaced)
            }}
          />
        </div>
        <FilterList search={search} />
      </div>
    </>
  )
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function Result() {
  const { result, problem } = usePlayground()
  const types: Readonly<Record<string, string>> = t.types
  return (
    <section className="play-result" aria-live="polite" aria-label={t.result}>
      <div className="play-result-head">
        <h2>{t.result}</h2>
        {result && problem === null && <Chip tone="accent">{types[result.type] ?? result.type}</Chip>}
      </div>
      {problem !== null ? (
        <Failure>{problem}</Failure>
      ) : result &&
        typeof result.result === 'object' &&
        result.result !== null &&
        !isNumber(result.result) ? (
        <JsonView value={result.result} what={t.result} />
      ) : (
        result && (
          <Code text={shown(result.result)} what={t.result} wrap>
            <Masked text={shown(result.result)} />
          </Code>
        )
      )}
    </section>
  )
}
