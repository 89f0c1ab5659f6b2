import { Button, FileButton, Group, Stack } from '@mantine/core'
import { type DragEvent, useEffect, useState } from 'react'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { Caution } from '../../../ui/failure.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { MarkedSpan } from '../../../ui/text/marked-span.tsx'
import { type Choice, describeProblem, toImportMapping } from './columns.ts'
import { ImportReport } from './import-report.tsx'
import { checkFile, chooseFile, chooseMapping, importFile, isLarge, useImport } from './import-store.ts'
import { MapColumns } from './map-columns.tsx'
import { strings } from './strings.ts'
import styles from './transfer.module.css'

const t = strings.import

/** Imports a file in steps: choose it, map its columns, check it, import it. */
export function ImportSection() {
  const { chosen, busy, report, problem } = useImport()
  if (!chosen) {
    return (
      <>
        <DropFile busy={busy} onFile={chooseFile} />
        <JobProgress job="import" what={t.running} />
        <JobProblem error={problem} />
      </>
    )
  }
  const { file, preview, choice } = chosen
  const terminal = <InTerminal name={file.name} choice={choice} />
  return (
    <>
      <div className={styles.chosenFile}>
        <Icon name="database" size={14} />
        <MarkedSpan className="clip" text={file.name} />
        <span className="faint">{t.size(file.size)}</span>
        <ChooseFile label={t.another} busy={busy} onFile={chooseFile} />
      </div>
      {choice ? (
        <MapColumns
          preview={preview}
          isCsv={chosen.format === 'csv'}
          choice={choice}
          onChange={(next) => !busy && chooseMapping(next)}
        />
      ) : (
        <span className="dim">{t.tokens}</span>
      )}
      {isLarge(file) ? <Caution>{t.large}</Caution> : <ImportButtons choice={choice} />}
      <JobProgress job="import" what={t.running} />
      <JobProblem error={problem} />
      {report && !busy && <ImportReport report={report} name={file.name} />}
      {isLarge(file) ? (
        terminal
      ) : (
        <details className={styles.inTerminalFold}>
          <summary>{t.terminal}</summary>
          {terminal}
        </details>
      )}
    </>
  )
}

/** The next step: a check, then the import. None once the file is imported. */
function ImportButtons({ choice }: { choice: Choice | null }) {
  const { busy, report, isStarted } = useImport()
  if (report && !report.dry_run) return null
  const wrong = choice && describeProblem(choice)
  const created = report?.created ?? 0
  const isReady = created > 0 || isStarted
  const isDisabled = busy || wrong !== null
  return (
    <Group gap="sm">
      {!isStarted && (
        <Button variant={isReady ? 'default' : 'filled'} disabled={isDisabled} onClick={checkFile}>
          {busy ? t.checkingNow : t.check}
        </Button>
      )}
      {isReady && (
        <Button disabled={isDisabled} onClick={importFile}>
          {isStarted ? (busy ? t.importingNow : t.goOn) : t.act(created.toLocaleString('en'))}
        </Button>
      )}
      {wrong !== null && <span className="dim">{wrong}</span>}
    </Group>
  )
}

/** The import as a terminal command, with its mapping file. */
function InTerminal({ name, choice }: { name: string; choice: Choice | null }) {
  const map = `${name.replace(/\.[^.]+$/, '')}.map.json`
  const quoteArgument = (text: string) =>
    /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
  const command = `coffer import ${quoteArgument(name)}${choice ? ` --map ${quoteArgument(map)}` : ''}`
  return (
    <Stack gap={6} fz={12}>
      <Code text={command} what={t.command} />
      {choice && (
        <>
          <span className="faint">{t.mapFile(map)}</span>
          <Code text={JSON.stringify(toImportMapping(choice), null, 2)} what={t.mapping} />
        </>
      )}
    </Stack>
  )
}

const accepted = '.csv,.ndjson,.jsonl'

function DropFile({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const [over, setOver] = useState(false)
  useEffect(() => {
    // Without this, the browser would open a file dropped outside this area in place of the page.
    const preventNavigation = (event: Event) => event.preventDefault()
    window.addEventListener('dragover', preventNavigation)
    window.addEventListener('drop', preventNavigation)
    return () => {
      window.removeEventListener('dragover', preventNavigation)
      window.removeEventListener('drop', preventNavigation)
    }
  }, [])
  const handleDrag = (event: DragEvent, isOver: boolean) => {
    event.preventDefault()
    setOver(isOver)
  }
  return (
    <fieldset
      aria-label={t.title}
      className={over ? `${styles.drop} ${styles.dropOver}` : styles.drop}
      onDragOver={(event) => handleDrag(event, true)}
      onDragLeave={(event) => handleDrag(event, false)}
      onDrop={(event) => {
        handleDrag(event, false)
        const [file] = event.dataTransfer.files
        if (file) onFile(file)
      }}
    >
      <Icon name="download" size={18} />
      <ChooseFile label={t.choose} busy={busy} onFile={onFile} />
      <span className="faint">{t.drop}</span>
    </fieldset>
  )
}

function ChooseFile({ label, busy, onFile }: { label: string; busy: boolean; onFile: (file: File) => void }) {
  return (
    <FileButton accept={accepted} onChange={(file) => file && onFile(file)}>
      {(props) => <ActionButton label={label} disabled={busy} {...props} />}
    </FileButton>
  )
}
