/** Ralph's own version. The build puts it in from package.json; tests run from source and say so. */
declare const __VERSION__: string | undefined

export const VERSION: string = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-source'
