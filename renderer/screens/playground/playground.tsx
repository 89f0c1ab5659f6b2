import { Select } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { isNumber, type Json } from '../../../shared/json.ts'
import { isTokenType } from '../../../shared/token-types.ts'
import { getTypeName, tokenTypes, typeNames } from '../../parts/tokens/token-types.ts'
import { Chip } from '../../ui/chip.tsx'
import { Failure } from '../../ui/failure.tsx'
import { MonoArea } from '../../ui/fields/mono-fields.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import screenStyles from '../../ui/screen.module.css'
import { Code } from '../../ui/text/code.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Masked } from '../../ui/text/masked.tsx'
import { FilterList } from './filter-list.tsx'
import styles from './playground.module.css'
import {
  changeTexts,
  evaluateTemplate,
  loadFilters,
  replaceTexts,
  toInputText,
  usePlayground,
} from './playground-store.ts'
import { strings as t } from './strings.ts'

/** Evaluates expressions over sample data, and lists every filter. */
export function Playground() {
  const { template, data } = usePlayground()
  const editor = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    void evaluateTemplate()
    void loadFilters()
  }, [])
  const clearTemplate = () => {
    replaceTexts({ template: '' }, t.cleared)
    editor.current?.focus()
  }
  useKeys({ 'mod+n': clearTemplate, n: clearTemplate })
  return (
    <>
      <div className={`${screenStyles.head} ${screenStyles.headLine}`}>
        <h1>{t.title}</h1>
        <span className="faint">{t.intro}</span>
      </div>
      <div className={styles.play}>
        <div className={styles.playSide}>
          <MonoArea
            ref={editor}
            label={t.expression}
            description={t.expressionHelp}
            minRows={3}
            maxRows={10}
            value={template}
            onChange={(event) => changeTexts({ template: event.currentTarget.value })}
          />
          <Result />
          <MonoArea
            label={t.data}
            description={t.dataHelp}
            minRows={6}
            maxRows={16}
            value={data}
            onChange={(event) => changeTexts({ data: event.currentTarget.value })}
          />
          <Select
            label={t.sample}
            w={240}
            data={typeNames.map((value) => ({ value, label: getTypeName(value) }))}
            value={null}
            placeholder={t.samplePick}
            onChange={(value) => {
              if (value && isTokenType(value))
                replaceTexts({ data: toInputText(tokenTypes[value].sample) }, t.replaced)
            }}
          />
        </div>
        <FilterList />
      </div>
    </>
  )
}

function formatResult(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function Result() {
  const { result, problem } = usePlayground()
  const types: Readonly<Record<string, string>> = t.types
  return (
    <section className={styles.playResult} aria-live="polite" aria-label={t.result}>
      <div className={styles.playResultHead}>
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
          <Code text={formatResult(result.result)} what={t.result} wrap>
            <Masked text={formatResult(result.result)} />
          </Code>
        )
      )}
    </section>
  )
}
