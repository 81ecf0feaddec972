"""Adam in one pass over memory."""

import sys
from typing import Any

import keras

from keras_transformer.registration import register


@register
class Adam(keras.optimizers.Adam):
    """`keras.optimizers.Adam` whose update is one operation a variable on TensorFlow.

    Keras writes the update as ten operations on whole tensors. TensorFlow has all of it in one, which reads gradient,
    moments and weights once. On other backends, with `amsgrad` or under a `tf.distribute` strategy the update is
    Keras's.

    Example:
        >>> Adam(learning_rate=1e-3, beta_2=0.98).beta_2
        0.98

    Reference:
        Kingma and Ba 2015, https://arxiv.org/abs/1412.6980, algorithm 1 in the form at the end of section 2.
    """

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable; the arguments are Keras's."""
        tensorflow = sys.modules.get("tensorflow")
        if keras.backend.backend() != "tensorflow" or tensorflow is None or not self._one_pass(tensorflow, variable):
            super().update_step(gradient, variable, learning_rate)
            return
        target = _resource(variable)
        place, step = self._get_variable_index(variable), keras.ops.cast(self.iterations + 1, variable.dtype)
        beta_1, beta_2 = (tensorflow.constant(beta, variable.dtype) for beta in (self.beta_1, self.beta_2))
        tensorflow.raw_ops.ResourceApplyAdam(
            var=target.handle,
            m=_resource(self._momentums[place]).handle,
            v=_resource(self._velocities[place]).handle,
            beta1_power=keras.ops.power(beta_1, step),
            beta2_power=keras.ops.power(beta_2, step),
            lr=keras.ops.cast(learning_rate, variable.dtype),
            beta1=beta_1,
            beta2=beta_2,
            epsilon=tensorflow.constant(self.epsilon, variable.dtype),
            grad=tensorflow.convert_to_tensor(tensorflow.cast(gradient, variable.dtype)),
        )

    def _one_pass(self, tensorflow: Any, variable: Any) -> bool:
        return not self.amsgrad and not tensorflow.distribute.has_strategy() and hasattr(_resource(variable), "handle")


def _resource(variable: Any) -> Any:
    """The `tf.Variable` of a Keras variable, which Keras's optimizers pass by itself."""
    return variable.value if isinstance(variable, keras.Variable) else variable
