import type { ReactElement, ReactNode } from 'react';
import styles from './tag.module.css';

export function Tag({ children }: { children: ReactNode }): ReactElement {
  return <span className={styles.tag}>{children}</span>;
}

export function TagList({ tags }: { tags: readonly string[] }): ReactElement {
  return (
    <span className={styles.list}>
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  );
}
