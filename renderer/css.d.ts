declare module '*.module.css' {
  const styles: { readonly [name: string]: string }
  export default styles
}
declare module '*.css'

/** The text of a file. */
declare module '*?raw' {
  const text: string
  export default text
}
