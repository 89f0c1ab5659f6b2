import { Button, FileButton, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { useAct } from '../../../parts/forms/use-act.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { toast } from '../../../parts/messages/toast.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from './strings.ts'

const t = strings.import

type Report = {
  readonly entries: number
  readonly refused_lines: number
  readonly refused: readonly { readonly line: number; readonly message: string }[]
}

type Props = {
  readonly label: string
  readonly onImport: (csv: string, dry_run: boolean) => Promise<Report>
  readonly onDone: () => Promise<void>
}

const SHOWN = 8

/** Imports a CSV file: first shows what it would do, then does it. */
export function ImportFile({ label, onImport, onDone }: Props) {
  const [chosen, setChosen] = useState<{ readonly at: number; readonly csv: string } | null>(null)
  const checked = useLoaded(async () => chosen && onImport(chosen.csv, true), { about: String(chosen?.at) })
  const report = checked.value
  const taken = useAct()
  const problem = taken.problem ?? checked.problem
  const close = () => setChosen(null)
  async function choose(file: File | null) {
    if (!file) return
    taken.clear()
    setChosen({ at: performance.now(), csv: await file.text() })
  }
  const take = () =>
    taken.act(async () => {
      if (!chosen) return
      const { entries } = await onImport(chosen.csv, false)
      await onDone()
      close()
      toast(t.done(entries.toLocaleString('en')))
    })
  return (
    <>
      <FileButton accept=".csv,text/csv" onChange={choose}>
        {(props) => (
          <Button variant="default" {...props}>
            {label}
          </Button>
        )}
      </FileButton>
      {chosen && (
        <Dialog onClose={close} title={t.title} size={480}>
          <Stack gap="sm">
            {!report && problem === null && <span className="dim">{t.checking}</span>}
            {report && (
              <span>{report.entries === 0 ? t.nothing : t.check(report.entries.toLocaleString('en'))}</span>
            )}
            {report && report.refused_lines > 0 && (
              <div>
                <span>{t.refused(report.refused_lines.toLocaleString('en'))}</span>
                <ul className="refused-lines">
                  {report.refused.slice(0, SHOWN).map(({ line, message }) => (
                    <li key={line}>{t.line(line, message)}</li>
                  ))}
                </ul>
              </div>
            )}
            <Problem of={problem} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                {ui.cancel}
              </Button>
              {report && (
                <Button disabled={report.entries === 0} onClick={take} data-autofocus>
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
