import { Dialog } from '../../ui/dialog.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import styles from './frame.module.css'
import { strings as t } from './shortcut-strings.ts'

const groups: readonly { title: string; lines: readonly (readonly [string, ...string[]])[] }[] = [
  {
    title: t.everywhere,
    lines: [
      [t.palette, 'mod+k'],
      [t.create, 'mod+n', 'n'],
      [t.find, 'mod+f', '/'],
      [t.save, 'mod+s'],
      [t.screens, 'mod+1', 'mod+9'],
      [t.settings, 'mod+,'],
      [t.lock, 'mod+l'],
      [t.list, '?'],
    ],
  },
  {
    title: t.paletteTitle,
    lines: [
      [t.act, '>'],
      [t.evaluate, '='],
      [t.beside, 'mod+Enter'],
    ],
  },
  {
    title: t.lists,
    lines: [
      [t.move, 'ArrowDown', 'ArrowUp', 'j', 'k'],
      [t.ends, 'Home', 'End'],
      [t.open, 'Enter'],
      [t.close, 'Escape'],
      [t.pin, 'p'],
      [t.unfold, 'ArrowRight', 'ArrowLeft'],
      [t.menu, 'Shift+F10'],
      [t.select, 'Space'],
      [t.extend, 'Shift+ArrowDown'],
      [t.all, 'mod+a'],
    ],
  },
  {
    title: t.item,
    lines: [
      [t.reveal, 'r'],
      [t.hide, 'h'],
      [t.copyValue, 'v'],
      [t.copyId, 'c'],
      [t.edit, 'e'],
      [t.remove, 'Backspace'],
    ],
  },
  {
    title: t.challenge,
    lines: [
      [t.pass, 's'],
      [t.fail, 'f'],
      [t.cancel, 'x'],
      [t.timeout, 't'],
    ],
  },
  {
    title: t.cells,
    lines: [
      [t.enterCells, 'ArrowRight'],
      [t.editCell, 'F2'],
      [t.date, 'g'],
    ],
  },
  {
    title: t.rules,
    lines: [
      [t.moveRule, 'Alt+ArrowUp', 'Alt+ArrowDown'],
      [t.undoRule, 'mod+z'],
    ],
  },
  {
    title: t.request,
    lines: [
      [t.sendRequest, 'mod+Enter'],
      [t.suggest, 'Ctrl+Space'],
      [t.findInResponse, 'mod+f'],
    ],
  },
  {
    title: t.reactor,
    lines: [
      [t.run, 'mod+Enter'],
      [t.leaveCode, 'Escape', 'Tab'],
    ],
  },
]

export function ShortcutList({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  if (!isOpen) return null
  return (
    <Dialog onClose={onClose} title={t.title} size={620}>
      <div className={styles.shortcuts}>
        {groups.map(({ title, lines }) => (
          <section key={title}>
            <h3>{title}</h3>
            <ul>
              {lines.map(([text, ...keys]) => (
                <li key={text}>
                  <span>{text}</span>
                  {keys.map((key) => (
                    <Key key={key} of={key} />
                  ))}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
