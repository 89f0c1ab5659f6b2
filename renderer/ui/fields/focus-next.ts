/**
 * Moves the focus from the button of what is about to be removed to the next button of the list: that of the next
 * thing in it, or the one that adds another. It would be lost with what goes.
 */
export function focusNext(button: HTMLElement): void {
  const list = button.closest('[data-list]')
  const buttons = [...(list?.querySelectorAll<HTMLElement>('[data-list-button]') ?? [])]
  buttons[buttons.indexOf(button) + 1]?.focus()
}
