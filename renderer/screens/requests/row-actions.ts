import type { Condition } from '../../../shared/conditions.ts'
import { formatSize } from '../../../shared/format-size.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { type FilterFieldOf, nameValue } from '../../parts/filters/filter-fields.ts'
import { showFailureToast, showToast } from '../../parts/messages/toast.tsx'
import { navigate } from '../../parts/navigation/route.ts'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { copyText } from '../../ui/text/clipboard.ts'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import { formatRecordAsCurl } from './copy-as-curl.ts'
import type { LedgerLine } from './ledger-lines.ts'
import type { RecordField } from './record.ts'
import { getResendHref } from './resend.ts'
import { strings as t } from './strings.ts'

/** The value of a cell's condition as the row shows it. */
export function formatCellValue(
  fields: readonly FilterFieldOf<RecordField>[],
  condition: Condition<RecordField>,
): string {
  const { field, value, not } = condition
  if (field === 'program' && value === '*') return not ? t.programs.none : t.programs.any
  const text = nameValue(fields, condition)
  if (field === 'took') return `${t.fields.took} ≥ ${formatDuration(Number(/[\d.]+/.exec(value)?.[0] ?? 0))}`
  if (field === 'size') return `${t.fields.size} ≥ ${formatSize(Number(/\d+/.exec(value)?.[0] ?? 0))}`
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

type RowActionOptions = {
  readonly operations: readonly ApiOperation[]
  readonly baseUrl: string
  readonly setOpen: (line: LedgerLine, isOpen: boolean) => void
}

/** The actions of a line: to unfold it, send it again, and copy it. */
export function createRowActions(
  record: LedgerLine,
  { operations, baseUrl, setOpen }: RowActionOptions,
): readonly GridAction[] {
  const { fold } = record
  const resendHref = getResendHref(record, operations)
  const operation = operations.find(({ id }) => id === record.action)
  const copyWithToast = async (text: string | Promise<string>, done: string) => {
    await copyText(await text)
    showToast(done)
  }
  const createCurlAction = (operation: ApiOperation): GridAction => ({
    label: t.cells.asCurl,
    icon: 'terminal',
    run: () =>
      void copyWithToast(formatRecordAsCurl(record.id, operation, baseUrl), t.cells.copiedCurl).catch(
        showFailureToast,
      ),
  })
  return [
    ...(fold
      ? [
          {
            label: fold.isOpen ? t.cells.fold : t.cells.unfold,
            icon: fold.isOpen ? ('up' as const) : ('down' as const),
            run: () => setOpen(record, !fold.isOpen),
          },
        ]
      : []),
    ...(resendHref === null
      ? []
      : [{ label: t.drawer.again, icon: 'play' as const, run: () => navigate(resendHref) }]),
    ...(operation ? [createCurlAction(operation)] : []),
    { label: t.copyTrace, icon: 'copy', run: () => void copyWithToast(record.trace_id, t.copiedTrace) },
  ]
}
