import { Button, FileButton, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { useAction } from '../../../parts/forms/use-action.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { showToast } from '../../../parts/messages/toast.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from './strings.ts'

const t = strings.import

type DirectoryImportReport = {
  readonly entries: number
  readonly refused_lines: number
  readonly refused: readonly { readonly line: number; readonly message: string }[]
}

type Props = {
  readonly label: string
  readonly onImport: (csv: string, dry_run: boolean) => Promise<DirectoryImportReport>
  readonly onDone: () => Promise<void>
}

const MAX_LISTED_LINES = 8

/** Imports a CSV file after a dry run. */
export function ImportFile({ label, onImport, onDone }: Props) {
  const [chosen, setChosen] = useState<{ readonly at: number; readonly csv: string } | null>(null)
  const checked = useLoaded(async () => chosen && onImport(chosen.csv, true), { about: String(chosen?.at) })
  const report = checked.value
  const taken = useAction()
  const problem = taken.problem ?? checked.problem
  const closeReport = () => setChosen(null)
  async function chooseFile(file: File | null) {
    if (!file) return
    taken.clear()
    setChosen({ at: performance.now(), csv: await file.text() })
  }
  const importEntries = () =>
    taken.runAction(async () => {
      if (!chosen) return
      const { entries } = await onImport(chosen.csv, false)
      await onDone()
      closeReport()
      showToast(t.done(entries.toLocaleString('en')))
    })
  return (
    <>
      <FileButton accept=".csv,text/csv" onChange={chooseFile}>
        {(props) => <ActionButton label={label} {...props} />}
      </FileButton>
      {chosen && (
        <Dialog onClose={closeReport} title={t.title} size={480}>
          <Stack gap="sm">
            {!report && problem === null && <span className="dim">{t.checking}</span>}
            {report && (
              <span>{report.entries === 0 ? t.nothing : t.check(report.entries.toLocaleString('en'))}</span>
            )}
            {report && report.refused_lines > 0 && (
              <div>
                <span>{t.refused(report.refused_lines.toLocaleString('en'))}</span>
                <ul className="bullets dim">
                  {report.refused.slice(0, MAX_LISTED_LINES).map(({ line, message }) => (
                    <li key={line}>{t.line(line, message)}</li>
                  ))}
                </ul>
              </div>
            )}
            <Problem of={problem} />
            <Group justify="flex-end" gap="xs">
              <ActionButton label={ui.cancel} onClick={closeReport} />
              {report && (
                <Button disabled={report.entries === 0} onClick={importEntries} data-autofocus>
                  {t.action(report.entries.toLocaleString('en'))}
                </Button>
              )}
            </Group>
          </Stack>
        </Dialog>
      )}
    </>
  )
}
