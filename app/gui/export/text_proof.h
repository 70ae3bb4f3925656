// SPDX-License-Identifier: GPL-3.0-or-later
// Proofreads a picture: a paint device that draws nothing, but notes each piece of text with the place it gets, and
// tells which of them nobody can read.
#pragma once

#include <QPaintDevice>
#include <QSize>

#include <memory>
#include <vector>

#include "app/gui/gui.h"

namespace lanescope::gui {

class TextProof : public QPaintDevice {
public:
    /// \p size in pixels, of the picture.
    explicit TextProof(QSize size);
    ~TextProof() override;

    [[nodiscard]] QPaintEngine* paintEngine() const override;
    /// Of what was painted up to now.
    [[nodiscard]] std::vector<TextFault> faults() const;

protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override;

private:
    class Engine;
    QSize m_size;
    std::unique_ptr<Engine> m_engine;
};

}  // namespace lanescope::gui
