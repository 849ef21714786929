/** The text of a file, as imported by the bundler and by tests. */
declare module '*?raw' {
  const text: string;
  export default text;
}
