import { figureFont, type Picture, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { createElement, type ReactElement, type ReactNode } from 'react';
import styles from './picture-view.module.css';

/** A drawing as elements, as wide as its column. */
export function PictureView({ picture }: { picture: Picture }): ReactElement {
  const { width, height, label, nodes } = picture;
  return (
    <svg
      className={styles.picture}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      fontFamily={figureFont}
      fontSize={11}
    >
      {nodes.map(elementOf)}
    </svg>
  );
}

function elementOf({ tag, attrs, children }: SvgNode, index: number): ReactNode {
  return createElement(
    tag,
    { ...attrs, key: index },
    ...children.map((child, place) => (typeof child === 'string' ? child : elementOf(child, place))),
  );
}
