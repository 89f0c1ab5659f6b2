/**
 * Moves the focus from the remove button of a list entry to the next button in the list: the next entry's, or
 * the one that adds an entry. Otherwise the focus would be lost with the removed entry.
 */
export function focusNext(button: HTMLElement): void {
  const list = button.closest('[data-list]')
  const buttons = [...(list?.querySelectorAll<HTMLElement>('[data-list-button]') ?? [])]
  buttons[buttons.indexOf(button) + 1]?.focus()
}
