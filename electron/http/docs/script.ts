/** The reference page's few lines of script: filter and copy. The page works without them. */
export const script = `
const filter = document.querySelector('input')
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\\s+/)
  for (const link of document.querySelectorAll('nav a[data-text]')) {
    link.hidden = !words.every((word) => link.dataset.text.includes(word))
    document.getElementById(link.hash.slice(1)).hidden = link.hidden
  }
  for (const group of document.querySelectorAll('nav section')) group.hidden = !group.querySelector('a:not([hidden])')
})
addEventListener('keydown', (event) => {
  if (event.key === '/' && event.target !== filter) { event.preventDefault(); filter.focus() }
})
for (const button of document.querySelectorAll('.code button')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.nextElementSibling.textContent)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
}
`
