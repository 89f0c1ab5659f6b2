import { Button, Group } from '@mantine/core'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { Caution } from '../../../ui/failure.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { describeProblem } from './columns.ts'
import { ChooseFile, DropFile } from './drop-file.tsx'
import { ImportReport } from './import-report.tsx'
import { checkFile, chooseFile, chooseMapping, importFile, isLarge, useImport } from './import-store.ts'
import { InTerminal } from './in-terminal.tsx'
import { MapColumns } from './map-columns.tsx'
import { strings } from './strings.ts'
import styles from './transfer.module.css'

const t = strings.import

/** Imports a file in steps: choose it, map its columns, check it, import it. */
export function ImportSection() {
  const { chosen, busy, report, isStarted, problem } = useImport()
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
  const wrong = choice && describeProblem(choice)
  const large = isLarge(file)
  const done = report !== null && !report.dry_run
  const ready = (report?.dry_run && report.created > 0) || (isStarted && !done)
  return (
    <>
      <div className={styles.chosenFile}>
        <Icon name="database" size={14} />
        <span className="clip">{file.name}</span>
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
      {large && <Caution>{t.large}</Caution>}
      {!large && !done && (
        <Group gap="sm">
          {!isStarted && (
            <Button
              variant={ready ? 'default' : 'filled'}
              disabled={busy || wrong !== null}
              onClick={checkFile}
            >
              {busy && !isStarted ? t.checkingNow : t.check}
            </Button>
          )}
          {ready && (
            <Button disabled={busy || wrong !== null} onClick={importFile}>
              {busy && isStarted
                ? t.importingNow
                : isStarted
                  ? t.goOn
                  : t.act((report?.created ?? 0).toLocaleString('en'))}
            </Button>
          )}
          {wrong !== null && <span className="dim">{wrong}</span>}
        </Group>
      )}
      <JobProgress job="import" what={t.running} />
      <JobProblem error={problem} />
      {report && !busy && <ImportReport report={report} name={file.name} />}
      {large ? (
        <InTerminal name={file.name} choice={choice} />
      ) : (
        <details className={styles.inTerminalFold}>
          <summary>{t.terminal}</summary>
          <InTerminal name={file.name} choice={choice} />
        </details>
      )}
    </>
  )
}
