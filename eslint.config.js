import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const TESTS = ['**/*.test.ts', '**/*.test.tsx'];

/** The arrows of the house: a folder may import only what stands to its right (cli -> http -> actors -> store). */
const mayNotImport = (folder, forbidden) => ({
  files: [`src/${folder}/**/*.ts`, `src/${folder}/**/*.tsx`],
  ignores: TESTS,
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: forbidden.map((name) => ({ group: [`**/${name}/**`], message: `${folder} must not know ${name}` })) },
    ],
  },
});

/**
 * The operator tool knows the server by its interface alone; what starts or checks one on this machine may know more.
 * Folders of the tool may be called like those of the server, so it is told by depth what leads out of it.
 */
const operatorToolAt = (depth) => ({
  files: [`src/cli/${'*/'.repeat(depth - 1)}*.{ts,tsx}`],
  ignores: [...TESTS, ...['serve', 'config', 'settings', 'doctor', 'failure'].map((name) => `src/cli/${name}.ts`)],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\./){${depth}}(store|agents|actors|http|index|create-server)\\b`,
            message: 'the operator tool must know the server by HTTP alone',
          },
        ],
      },
    ],
  },
});

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'data/', 'coverage/', 'examples/'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['eslint.config.js'] } } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/only-throw-error': 'error',
      eqeqeq: 'error',
    },
  },
  { files: ['**/*.test.ts', 'test/**'], rules: { '@typescript-eslint/unbound-method': 'off' } },
  {
    files: TESTS,
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'fast-check', message: 'test/support/property.ts has it, with the seed of the suite' }] },
      ],
    },
  },
  { files: ['**/*.js', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['**/*.js', '**/*.mjs', 'bin/**'],
    languageOptions: {
      globals: Object.fromEntries(
        'process console URL Buffer fetch performance setTimeout setInterval clearInterval'
          .split(' ')
          .map((name) => [name, 'readonly']),
      ),
    },
  },
  mayNotImport('store', ['actors', 'agents', 'http', 'cli']),
  mayNotImport('agents', ['actors', 'store', 'http', 'cli']),
  mayNotImport('actors', ['http', 'cli']),
  // A thread and its logs can be read without the process that hosts them.
  ...['thread', 'log', 'time'].map((room) => mayNotImport(`actors/${room}`, ['http', 'cli', 'host'])),
  mayNotImport('http', ['store', 'cli']),
  ...[1, 2, 3, 4].map(operatorToolAt),
);
